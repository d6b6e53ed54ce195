"""Torch and scikit-learn in the sandbox give the figures of PyTorch 2.13 and scikit-learn 1.7."""

import pytest

from engine.language import ProgramError, evaluate


def printed(text):
    return "".join(piece.text for piece in evaluate(text).output)


NEURON = """\
import torch
x1 = torch.Tensor([2.0]).double(); x1.requires_grad = True
x2 = torch.Tensor([0.0]).double(); x2.requires_grad = True
w1 = torch.Tensor([-3.0]).double(); w1.requires_grad = True
w2 = torch.Tensor([1.0]).double(); w2.requires_grad = True
b = torch.Tensor([6.8813735870195432]).double(); b.requires_grad = True
n = x1*w1 + x2*w2 + b
o = torch.tanh(n)
"""


def test_the_neuron_of_the_tutorials_gives_the_published_numbers_and_is_drawn():
    result = evaluate(
        NEURON + "print(o.data.item())\no.backward()\nprint(x2.grad.item(), w2.grad.item(), x1.grad.item())\n"
    )
    text = "".join(piece.text for piece in result.output)
    assert text == "0.7071066904050358\n0.5000001283844369 0.0 -1.5000003851533106\n"
    assert result.names["o"].data == 0.7071066904050358
    assert result.names["w1"].grad == 1.0000002567688737
    assert result.root is result.names["o"]
    assert {value.label for value in result.names["o"].inputs} == {"n"}


def test_numbers_that_are_stacked_are_drawn_as_arrays_once():
    leaves = "a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)\n"
    result = evaluate(f"import torch\n{leaves}y = torch.stack([a, b])\n(y * y).sum().backward()")
    a, b = (value.inputs for value in result.names["y"].inputs)
    assert (a, b) == ((result.names["a"],), (result.names["b"],))
    assert [value.grad for value in (*a, *b)] == [4.0, 6.0]


PRINTED = [
    ("print(torch.tensor([1., 2.]), torch.tensor(0.70712345), torch.tensor([[1, 2], [3, 40]]))",
     "tensor([1., 2.]) tensor(0.7071) tensor([[ 1,  2],\n        [ 3, 40]])\n"),
    ("torch.manual_seed(1337)\nprint(torch.rand(2), torch.randn(2), torch.randint(0, 10, (4,)))",
     "tensor([0.0783, 0.4956]) tensor([ 1.3533, -0.1298]) tensor([5, 0, 4, 0])\n"),
    ("w = torch.tensor(1.0, requires_grad=True)\nfor e in range(3):\n    for x in torch.tensor([1.0, 2.0, 3.0]):\n"
     "        ((w * x - 2 * x)**2).backward()\n        w.data = w.data - 0.01 * w.grad.item()\n"
     "        w.grad.data.zero_()\nprint(w)", "tensor(1.5959, requires_grad=True)\n"),
    ("a, b = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))\n"
     "o = torch.optim.SGD([{'params': a, 'lr': 0.05}, {'params': [b]}], lr=0.1)\n(a + b).sum().backward()\no.step()\n"
     "print(a.data, b.data)", "tensor([0.9500]) tensor([0.9000])\n"),
    ("torch.set_printoptions(precision=2)\nprint(torch.tensor([1.23456, 10]))", "tensor([ 1.23, 10.00])\n"),
    ("torch.manual_seed(0)\nprint(torch.randn(20)[15:])", "tensor([-0.8437,  0.9318,  1.2590,  2.0050,  0.0537])\n"),
    ("torch.manual_seed(0)\nprint(torch.nn.Linear(3, 2).weight.data)",
     "tensor([[-0.0043,  0.3097, -0.4752],\n        [-0.4249, -0.2224,  0.1548]])\n"),
    ("l = torch.tensor([[1., 2., 3.], [.5, -1., 2.]], requires_grad=True)\n"
     "c = torch.nn.functional.cross_entropy(l, torch.tensor([2, 0]))\nc.backward()\nprint(f'{c:.4f}', l.grad)",
     "1.0745 tensor([[ 0.0450,  0.1224, -0.1674],\n        [-0.4124,  0.0196,  0.3928]])\n"),
]  # fmt: skip


@pytest.mark.parametrize(("program", "expected"), PRINTED)
def test_tensors_print_as_in_pytorch(program, expected):
    assert printed("import torch\n" + program) == expected


@pytest.mark.slow
def test_a_training_loop_with_modules_and_optimizers_gives_the_losses_of_pytorch():
    text = """\
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
Y = torch.tensor([[0.], [1.], [1.], [0.]])
for opt in (torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), torch.optim.Adam(model.parameters(), lr=0.05)):
    for k in range(20):
        loss = torch.nn.MSELoss()(model(X), Y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"{loss.item():.4f}")
"""
    assert printed(text) == LOSSES


LOSSES = "0.2719\n0.0500\n"


def test_a_program_that_asks_for_a_graphics_card_runs_on_the_processor():
    text = (
        "import torch\ndevice = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "model = torch.nn.Linear(2, 1).to(device)\nx = torch.randn(3, 2, device=device)\nprint(device, model(x).shape)"
    )
    assert printed(text) == "cpu torch.Size([3, 1])\n"


def test_tensors_without_gradients_refuse_backward_as_pytorch_does():
    with pytest.raises(ProgramError, match="does not require grad") as refused:
        evaluate("import torch\na = torch.tensor(2.0)\nb = a * 3\nb.backward()")
    assert refused.value.line == 4


WHOLE = "import torch\nx, m = torch.tensor([1, 2]), torch.tensor([[1, 2], [3, 4]])\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("print(x * 1.5, x + 0.5, 1.5 * x, x / 2, x // 2)",
         "tensor([1.5000, 3.0000]) tensor([1.5000, 2.5000]) tensor([1.5000, 3.0000]) tensor([0.5000, 1.0000]) "
         "tensor([0, 1])"),
        ("print(x.max(), x**2, -x, x @ x, x**0.5, x * 2)",
         "tensor(2) tensor([1, 4]) tensor([-1, -2]) tensor(5) tensor([1.0000, 1.4142]) tensor([2, 4])"),
        ("print(m[0], m.T[0], torch.cat([x, x]), m.max(0).values, torch.full((2,), 3))",
         "tensor([1, 2]) tensor([1, 3]) tensor([1, 2, 1, 2]) tensor([3, 4]) tensor([3, 3])"),
        ("print((x > 1) & (x < 9), ~(x > 1), x & 1, ~x, torch.Tensor(2).shape, torch.tensor([7.5]) // 2)",
         "tensor([False,  True]) tensor([ True, False]) tensor([1, 0]) tensor([-2, -3]) torch.Size([2]) tensor([3.])"),
    ],
)  # fmt: skip
def test_whole_numbers_stay_whole_where_they_do_in_pytorch(line, expected):
    assert printed(WHOLE + line) == f"{expected}\n"


def test_where_takes_no_part_in_what_it_does_not_choose():
    text = "import torch\nr = torch.tensor([0.0, 2.0, -1.0], requires_grad=True)\n"
    text += "w = torch.where(r > 0, r.log(), r * 3)\nprint(w)\n(w[1] + w[2]).backward()\nprint(r.grad[1:])\n"
    assert printed(text) == (
        "tensor([ 0.0000,  0.6931, -3.0000], grad_fn=<WhereBackward0>)\ntensor([0.5000, 3.0000])\n"
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("y[0] = 5.0", "cannot be changed in place here"),
        ("y.mul_(2.0)", "cannot be changed in place here"),
        ("torch.zeros(2)[0] = y[0]", "cannot be changed in place here"),
        ("torch.tensor([1, 2]).mean()", "Got: Long"),
        ("torch.Tensor(2.0)", "data must be a sequence"),
        ("torch.nn.BCELoss()(y.detach(), y.detach())", "between 0 and 1"),
        ("torch.nn.CrossEntropyLoss()(torch.tensor([[1.0, 2.0]]), torch.tensor([1.0]))", "dtype to be Long"),
        ("torch.nn.CrossEntropyLoss()(torch.tensor([[1.0, 2.0]]), torch.tensor([2]))", "Target 2 is out of bounds"),
        ("torch.optim.SGD([x], lr=-0.1)", "Invalid learning rate"),
        ("torch.optim.SGD(x, lr=0.1)", "iterable of Tensors"),
        ("torch.tensor([1, 2]) ** -1", "negative integer powers"),
        ("k = torch.tensor([1, 2])\nk += 0.5", "Long"),
        ("torch.tensor([1]) // 0", "ZeroDivisionError"),
        ("torch.nn.functional.cross_entropy(torch.zeros(2, 3), torch.tensor([1]))", "batch_size"),
    ],
)
def test_what_would_give_other_numbers_than_pytorch_is_refused(line, words):
    start = "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\ny = x * 2\n"
    with pytest.raises(ProgramError, match=words):
        evaluate(start + line)
    assert evaluate(f"{start}y += 1.0\ny.sum().backward()\nx.data[0] = 3.0\nx.grad.zero_()\n").names[
        "x"
    ].grad.tolist() == [0, 0]


def test_data_sets_have_the_numbers_of_scikit_learn():
    text = """\
from sklearn.datasets import make_moons, make_circles, make_blobs
from sklearn.model_selection import train_test_split
X, y = make_moons(100, noise=0.1, random_state=1)
print(X[0], y[:5])
print(make_circles(50, noise=0.05, random_state=2, factor=0.5)[0][0])
print(make_blobs(40, random_state=5)[0][0])
print(train_test_split(X, y, test_size=0.2, random_state=42)[2][:5])
"""
    assert printed(text) == DATA


DATA = """\
[ 1.35617372 -0.33694213] [1 1 0 1 1]
[-0.41088506  0.00947156]
[-4.72627391  8.86665856]
[0 1 1 1 1]
"""


def test_a_data_loader_gives_every_row_once_in_batches_and_shuffles_by_the_seed():
    program = """\
import torch
from torch.utils.data import DataLoader, TensorDataset
X, y = torch.arange(10.0).reshape(5, 2), torch.arange(5)
data = TensorDataset(X, y)
print(len(data), [(tuple(a.shape), b.tolist()) for a, b in DataLoader(data, batch_size=2)])
print(len(DataLoader(data, batch_size=2, drop_last=True)))
orders = []
for _ in range(2):
    torch.manual_seed(3)
    loader = DataLoader(data, batch_size=3, shuffle=True)
    orders.append([b.tolist() for _ in range(2) for a, b in loader])
print(orders[0] == orders[1], orders[0][:2] != orders[0][2:])
print(sorted(orders[0][0] + orders[0][1]), [len(each) for each in orders[0]])
"""
    assert printed(program) == (
        "5 [((2, 2), [0, 1]), ((2, 2), [2, 3]), ((1, 2), [4])]\n2\nTrue True\n[0, 1, 2, 3, 4] [3, 2, 3, 2]\n"
    )


def test_a_data_set_of_ones_own_is_collated():
    program = """\
import torch
from torch.utils.data import DataLoader, Dataset
class Squares(Dataset):
    def __len__(self): return 3
    def __getitem__(self, index): return torch.tensor([float(index)]), index ** 2
print([(a.tolist(), b.tolist()) for a, b in DataLoader(Squares(), batch_size=2)])
"""
    assert printed(program) == "[([[0.0], [1.0]], [0, 1]), ([[2.0]], [4])]\n"


def test_what_a_module_and_an_optimizer_need_first_is_asked_for_as_in_pytorch():
    program = """\
import copy, torch
from torch import nn
class Forgetful(nn.Module):
    def __init__(self, part):
        self.part = part
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
for kind in (nn.ReLU, nn.LeakyReLU, nn.Softmax, nn.MSELoss, nn.Flatten, nn.Identity, nn.Sequential, nn.ModuleList):
    class Larger(kind):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(1))
    Larger()
w = torch.ones(2, requires_grad=True)
u = w * 2
print((torch.ones(2) * 2).is_leaf, u.is_leaf, w.is_leaf, len(list(copy.deepcopy(Net()).parameters())))
for ask in (lambda: Forgetful(nn.Tanh()), lambda: Forgetful(nn.Parameter(w)), lambda: torch.optim.SGD([u], lr=0.1),
            lambda: torch.optim.SGD([1.0], lr=0.1), lambda: torch.ones(2) & torch.ones(2)):
    try:
        ask()
    except Exception as error:
        print(type(error).__name__, error)
"""
    assert printed(program).split("\n") == [
        "True False True 1",
        "AttributeError cannot assign module before Module.__init__() call",
        "AttributeError cannot assign parameters before Module.__init__() call",
        "ValueError can't optimize a non-leaf Tensor",
        "TypeError optimizer can only optimize Tensors, but one of the params is float",
        "NotImplementedError \"bitwise_and_cpu\" not implemented for 'Float'",
        "",
    ]
