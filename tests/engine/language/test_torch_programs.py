# ruff: noqa: E501
"""Programs with torch print what PyTorch 2.13 prints."""

import pytest

from engine.language import evaluate

PROGRAMS = {  # the program, and what PyTorch prints
    "what is changed in a part is changed in the whole": (
"""\
import torch
x = torch.zeros(2, 2)
x[0][1] = 5.0
x[1].add_(2)
x.view(4)[0] = 7
x.T[0] *= 2
print(x)
for row in x:
    row += 1
first, *rest = x
first.zero_()
d = x.detach()
d += 1
print(x)
w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    w[0].fill_(9.0)
w.data[1] = 4.0
w.sum().backward()
w.grad.data.zero_()
print(w, w.grad)
v = torch.tensor([3.0])
v.view(1)[0] = 7
y = torch.arange(9.0).view(3, 3)
z = y[1]
y[1] = 0
print(v, z)
""",
"""\
tensor([[14.,  5.],
        [ 4.,  2.]])
tensor([[1., 1.],
        [6., 4.]])
tensor([9., 4.], requires_grad=True) tensor([0., 0.])
tensor([7.]) tensor([0., 0., 0.])
""",
    ),
    "elements that are taken twice get both gradients": (
"""\
import torch
x = torch.tensor([5.0], requires_grad=True)
y = x[[0, 0, 0]]
y.sum().backward()
print(y.sum().item(), x.grad)
t = torch.tensor([1.0, 2.0, 3.0])
m = torch.tensor([[2.0]])
print((m * t).shape, (m > t).shape, (m * t).sum(0))
s = torch.tensor([2.0, 2.0], requires_grad=True)
s.std().backward()
print(s.grad)
""",
"""\
15.0 tensor([3.])
torch.Size([1, 3]) torch.Size([1, 3]) tensor([2., 4., 6.])
tensor([0., 0.])
""",
    ),
    "numbers that a backward pass needs are there once": (
"""\
import torch
def attempt(*losses):
    try:
        for loss in losses:
            loss.backward()
        print("works")
    except RuntimeError as error:
        print(str(error)[:49])
x = torch.tensor(3.0, requires_grad=True)
a = x * x
attempt(a + 1, a * 2)
attempt(y := x + 1, y)
attempt(z := x * 2, z)
""",
"""\
Trying to backward through the graph a second tim
works
Trying to backward through the graph a second tim
""",
    ),
    "layers that are shared are trained once": (
"""\
import torch
from torch import nn
layer = nn.Linear(1, 1, bias=False)
nn.init.ones_(layer.weight)
net = nn.Sequential(layer, layer)
print(len(list(net.parameters())), len(list(net.modules())), net(torch.tensor([2.0])).item())
net(torch.tensor([2.0])).sum().backward()
torch.optim.SGD(net.parameters(), lr=0.1).step()
print(round(layer.weight.item(), 4))
""",
"""\
1 2 2.0
0.6
""",
    ),
    "options that change something are followed": (
"""\
import torch
from torch import nn
from torch.nn import functional as F
print(torch.zeros(size=(2, 3)).shape, torch.zeros_like(torch.arange(2)), torch.tensor([0, 1]).to(dtype=torch.float32))
print(torch.eye(2, 3), torch.tensor([1.0, 3.0]).std(0, False), torch.tensor([1.0, 3.0]).var(unbiased=False))
w = torch.tensor([1.0], requires_grad=True)
sgd = torch.optim.SGD([w], 0.1, 0.9, 0.5)
for _ in range(3):
    sgd.zero_grad()
    (w * 2).sum().backward()
    sgd.step()
print(round(w.item(), 5))
sgd.zero_grad(set_to_none=False)
two, truth = torch.tensor(2.0, dtype=torch.float64), torch.tensor([True, False])
print(w.grad, torch.tensor(0.1, dtype=torch.float64) == 0.1, (two * torch.ones(2)).dtype)
print(F.softmax(torch.zeros(2, 1, 1)), torch.tensor([7, -7]) % 3, truth + truth)
g = torch.Generator().manual_seed(5)
torch.manual_seed(1)
print(torch.randint(0, 10, (3,), generator=g), torch.rand(1))
torch.set_grad_enabled(False)
print((w * 2).requires_grad)
""",
"""\
torch.Size([2, 3]) tensor([0, 0]) tensor([0., 1.])
tensor([[1., 0., 0.],
        [0., 1., 0.]]) tensor(1.) tensor(1.)
0.168
tensor([0.]) tensor(True) torch.float32
tensor([[[0.5000]],

        [[0.5000]]]) tensor([1, 2]) tensor([ True, False])
tensor([1, 4, 7]) tensor([0.7576])
False
""",
    ),
    "errors have the kinds of PyTorch": (
"""\
import torch
from torch import nn
from torch.utils.data import TensorDataset
x, w = torch.tensor([1.0, 2.0, 3.0]), torch.ones(3, requires_grad=True)
for ask in (lambda: x[3], lambda: x + torch.ones(2), lambda: x.sum(2), lambda: x.add_(torch.ones(2, 3)),
            lambda: nn.Linear(3, 1)(x.double()), lambda: (x * w).backward(torch.tensor(1.0)),
            lambda: x[0, 0], lambda: torch.optim.SGD([x], lr=0.1, nesterov=True)):
    try:
        ask()
    except Exception as error:
        print(type(error).__name__, error)
print([int(each) for each, in TensorDataset(torch.arange(3))])
""",
"""\
IndexError index 3 is out of bounds for dimension 0 with size 3
RuntimeError The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0
IndexError Dimension out of range (expected to be in range of [-1, 0], but got 2)
RuntimeError output with shape [3] doesn't match the broadcast shape [2, 3]
RuntimeError mat1 and mat2 must have the same dtype, but got Double and Float
RuntimeError Mismatch in shape: grad_output[0] has a shape of torch.Size([]) and output[0] has a shape of torch.Size([3]).
IndexError too many indices for tensor of dimension 1
ValueError Nesterov momentum requires a momentum and zero dampening
[0, 1, 2]
""",
    ),
    "cross-entropy is finite where a probability is 0": (
"""\
import torch
from torch.nn import functional as F
p = torch.tensor([0.0, 1.0, 0.25], requires_grad=True)
loss = F.binary_cross_entropy(p, torch.tensor([1.0, 0.0, 1.0]), reduction="none")
loss.sum().backward()
print(loss.detach(), p.grad)
w = torch.tensor([200.0], requires_grad=True)
F.binary_cross_entropy(torch.sigmoid(w), torch.tensor([1.0])).backward()
print(w.grad)
""",
"""\
tensor([100.0000, 100.0000,   1.3863]) tensor([-1.0000e+12,  1.0000e+12, -4.0000e+00])
tensor([0.])
""",
    ),
    "what is made anew does not share": (
"""\
import torch
from torch.utils.data import DataLoader
data = [torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])]
for batch in DataLoader(data, batch_size=1):
    batch += 1
a = torch.tensor([1.0])
b = a[torch.tensor([0])]
b += 1
c = torch.where(torch.tensor(True), torch.tensor(1.0), torch.tensor(2.0))
c += 1
s = torch.stack([a])
s += 1
x = torch.arange(4.0).view(2, 2)
x.T.reshape(-1)[0] = 9
print(data, a, x)
t, m = torch.tensor([1, 2]), torch.tensor([True, False])
t[0] = 2.7
m[1] = 5
y = torch.tensor([0.1, 0.2])
y[y > 0.15] = 0.3
print(t * 2, m.sum(), y == 0.3, y.max(dim=0))
@torch.set_grad_enabled(False)
def f(w):
    return w * 2
w = torch.ones(1, requires_grad=True)
print(f(w).requires_grad, (w * 2).requires_grad)
g = torch.Generator().manual_seed(5)
torch.manual_seed(1)
try:
    torch.rand(2.5, generator=g)
except TypeError:
    pass
print(torch.rand(1))
""",
"""\
[tensor([1., 2.]), tensor([3., 4.])] tensor([1.]) tensor([[0., 1.],
        [2., 3.]])
tensor([4, 4]) tensor(2) tensor([False,  True]) torch.return_types.max(
values=tensor(0.3000),
indices=tensor(1))
False True
tensor([0.7576])
""",
    ),
    "copies, kinds and elements of modules": (
"""\
import copy
import torch
from torch import nn
from torch.nn import functional as F
a, b = nn.Linear(1, 1), nn.Tanh()
net = nn.Sequential(a, b, a)
print([name for name, _ in net.named_children()], [type(each).__name__ for each in net.modules()])
print(len(net), net[2] is a, len(net[:2]), [name for name, _ in net.named_parameters()])
net(torch.ones(1)).sum().backward()
x = torch.ones(1, requires_grad=True)
(x * 2).sum().backward()
print(copy.deepcopy(net)[0].weight.grad, a.weight.grad is None, copy.deepcopy(x).grad)
w = nn.init.constant_(torch.zeros(2, dtype=torch.float64), 0.1)
print(w.dtype, w[0].item())
try:
    F.cross_entropy(torch.ones(2, 3), torch.tensor(1))
except ValueError as error:
    print(error)
""",
"""\
['0', '1'] ['Sequential', 'Linear', 'Tanh']
3 True 2 ['0.weight', '0.bias']
None False tensor([2.])
torch.float64 0.1
Expected input batch_size (2) to match target batch_size (0).
""",
    ),
}  # fmt: skip


@pytest.mark.parametrize("key", PROGRAMS)
def test_a_program_prints_what_it_prints_with_pytorch(key):
    program, printed = PROGRAMS[key]
    assert "".join(piece.text for piece in evaluate(program).output) == printed
