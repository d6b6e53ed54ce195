# XOR needs a hidden layer: the same training with and without one, and both losses
import random


def train(sizes, steps=200):
    random.seed(2)
    net = MLP(2, sizes)
    for step in range(steps):
        outs = [net(x) for x, _ in data]
        loss = sum([(out - t) ** 2 for out, (_, t) in zip(outs, data)])
        net.zero_grad()
        loss.backward()
        for p in net.parameters():
            p.data -= 0.1 * p.grad
    return loss


data = [([0.0, 0.0], -1.0), ([0.0, 1.0], 1.0), ([1.0, 0.0], 1.0), ([1.0, 1.0], -1.0)]
print("without a hidden layer:", round(train([1]).data, 2))
loss = train([4, 1])
print("with four hidden neurons:", round(loss.data, 4))
