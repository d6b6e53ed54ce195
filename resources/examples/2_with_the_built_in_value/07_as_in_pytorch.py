# The same neuron as in PyTorch: tensors with requires_grad and the same numbers
import torch

x1 = torch.tensor([2.0], requires_grad=True)
x2 = torch.tensor([0.0], requires_grad=True)
w1 = torch.tensor([-3.0], requires_grad=True)
w2 = torch.tensor([1.0], requires_grad=True)
b = torch.tensor([6.8813735870195432], requires_grad=True)
n = x1 * w1 + x2 * w2 + b
o = torch.tanh(n)
print(o.item())
o.backward()
print("x1", x1.grad.item())
print("w1", w1.grad.item())
