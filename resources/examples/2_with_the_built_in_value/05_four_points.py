# Four points, a network and a training loop: three inputs, two hidden layers, and a plot of the loss
import random

import matplotlib.pyplot as plt

random.seed(4)
n = MLP(3, [4, 4, 1])
xs = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
ys = [1.0, -1.0, -1.0, 1.0]

losses = []
for k in range(50):
    ypred = [n(x) for x in xs]
    loss = sum((yout - ygt) ** 2 for ygt, yout in zip(ys, ypred))
    n.zero_grad()
    loss.backward()
    for p in n.parameters():
        p.data -= 0.1 * p.grad
    losses.append(loss.data)
    if k % 10 == 0:
        print(f"step {k}: loss {loss.data:.4f}")

plt.plot(losses)
plt.title("four points")
plt.xlabel("step")
plt.ylabel("loss")
plt.show()
