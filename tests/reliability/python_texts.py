"""Random programs of plain Python as learners write them, with and without Values; half of them end in an error."""

from __future__ import annotations

import random
import re

PARTS = """\
<v> = [<n>, <n>, <n>]
<v>[<i>] += <f>
print(<v>, sum(<v>), sorted(<v>, reverse=True), <v>[::-1], <v>.index(<v>[1]))
---
<v> = {'<s>': <n>, '<t>': <f>}
<v>['<s>'] = <v>.get('<s>', 0) + <n>
for key, number in <v>.items():
    print(key, number, f'{number:><w>.2f}|{key!r:^<w>}')
print(<v>, len(<v>), '<t>' in <v>, list(<v>), max(<v>, key=<v>.get))
---
<v> = '<s> <t>'.split()
print('-'.join(<v>), <v>[0].upper(), '<s>'.find('a'), '<t>'.center(<w>, '*'), '<s>'[::-1], ord('<s>'[0]))
---
def <v>(x, y=<n>, *rest, scale=<f>, **named):
    return (x + y) * scale + sum(rest) + len(named)
print(<v>(<n>), <v>(<n>, <n>), <v>(<n>, <n>, <n>, <n>), <v>(x=<f>, scale=<n>, extra=1))
---
class <V>:
    count = 0
    def __init__(self, x):
        self.x = x
        <V>.count += 1
    def __add__(self, other):
        return <V>(self.x + other.x)
    def __repr__(self):
        return f'<V>({self.x!r})'
    @property
    def double(self):
        return 2 * self.x
    @staticmethod
    def make(x):
        return <V>(x)
<v> = <V>(<n>) + <V>.make(<f>)
print(<v>, <v>.double, <V>.count, isinstance(<v>, <V>), vars(<v>))
---
def <v>(limit):
    a, b = 0, 1
    while a < limit:
        yield a
        a, b = b, a + b
print(list(<v>(<n> + 20)), next(<v>(5)), sum(<v>(100)), [x for x in <v>(50) if x % 2])
---
def <v>(n):
    return 1 if n <= 1 else n * <v>(n - 1)
print([<v>(i) for i in range(<w>)], <v>(25))
---
<v> = lambda x, k=<n>: x * k
print(list(map(<v>, range(4))), list(filter(None, [0, 1, '', 'a'])), sorted(['bb', 'a', 'ccc'], key=len))
---
try:
    <v> = <n> / (<n> - <n>)
    print(<v>)
except ZeroDivisionError as error:
    print('caught', error)
else:
    print('fine')
finally:
    print('done')
---
<v> = [(i, j) for i in range(3) for j in range(i) if i + j != <w>]
print(<v>, {i: i**2 for i in range(3)}, {n % 3 for n in range(<w>)}, any(i > 1 for i, _ in <v>))
---
def <v>():
    total = 0
    def inner(x):
        nonlocal total
        total += x
        return total
    return inner
count = <v>()
print(count(<n>), count(<f>), count(<n>))
---
<v> = <n>
while <v> < 10:
    <v> += <w> % 4 + 1
    if <v> % 3 == 0:
        continue
    if <v> > 8:
        break
    print(<v>, end=' ')
else:
    print('ended')
print(<v>)
---
match [<n>, <f>]:
    case [0, _]:
        print('zero')
    case [a, b] if a > b:
        print('first', a)
    case [a, b]:
        print('second', b)
---
<v> = <f>
print(round(<v>, 2), int(<v>), <v> // 1, <v> % 1, abs(<v>), -<v>, <v>**2, f'{<v>:.3e}', f'{<v>:+08.2f}', repr(<v>))
print(<n> // 3, <n> % 3, <n> ** 3, <n> << 2, <n> & 5, <n> ^ 3, divmod(<n>, 4), bin(<n>), hex(<n>), f'{<n>:05d}')
---
print(math.sqrt(<w>), math.floor(<f>), math.pi, math.gcd(12, <w>), math.isclose(0.1 + 0.2, 0.3))
print(0.1 + 0.2, 1e16 + 1, 2**70)
---
first, *rest = range(<w>)
(a, b), c = (<n>, <f>), '<s>'
print(first, rest, a, b, c)
a, b = b, a
print(a, b, a == b, a is b, a and b, not a)
---
random.seed(<w>)
print(random.random(), random.randint(1, 6), random.choice(['a', 'b', 'c']))
print(random.sample(range(10), 3), random.gauss(0, 1))
---
def <v>(f):
    def wrapped(*args):
        print('call', args)
        return f(*args)
    return wrapped
@<v>
def area(w, h=<n>):
    return w * h
print(area(<n>), area(<f>, 2))
---
<v> = [[0] * 3 for _ in range(2)]
<v>[1][<i>] = <n>
for i, row in enumerate(<v>):
    for j, x in enumerate(row):
        if x:
            print(i, j, x)
print(<v>, list(zip(*<v>)), [sum(r) for r in <v>])
---
<v> = {1, 2, <n>} | {<w>}
print(sorted(<v>), len(<v>), <w> in <v>, sorted(<v> - {1}), <v> >= {1})
---
if (<v> := <n> * 2) > 3:
    print('large', <v>)
elif <v> == 0:
    print('zero')
else:
    print('small', <v>)
---
print('%d %s %.2f' % (<n>, '<s>', <f>), '{} {:>5} {0}'.replace('0', '').format('<s>', <n>, 1) if <w> > 90 else str(<f>))
---
from dataclasses import dataclass
@dataclass
class <V>:
    x: float
    y: int = <n>
print(<V>(<f>), <V>(<f>) == <V>(<f>), <V>(1, 2).y)
---
<v> = [3, 1, 2]
<v>.sort(); <v>.append(<n>); <v>.extend([<f>]); <v>.insert(1, '<s>'); <v>.pop(0)
print(<v>, <v>.count(<n>), <v> * 2, <v> + [None], <v> == <v>[:], <v>[1:3])
del <v>[0]
print(<v>)
---
for i in range(<w>, 0, -2):
    for j in 'ab':
        print(i, j, end=';')
print()
---
with_else = [x if x > <n> else -x for x in (<n>, <f>, <w>)]
print(with_else, min(with_else), max(with_else, default=0), tuple(reversed(with_else)))
"""
VALUES = """\
<v> = Value(<f>)
<u> = <v> * <v> + <n>
<u>.backward()
print(<v>, <u>, <v>.grad, <u>.data)
---
<v>, <u> = Value(<f>), Value(<n>)
w = (<v> * <u> + <v>).tanh() - <u> * <f>
w.backward()
print(<v>.grad, <u>.grad, w.data, repr(w))
<v>.grad = 0.0
w.backward()
print(<v>.grad, <u>.grad)
---
xs = [Value(<f>), Value(<n>), Value(<f>)]
<v> = Value(<f>)
for step in range(3):
    total = sum((x * <v> - <n>)**2 for x in xs)
    <v>.grad = 0.0
    total.backward()
    <v>.data -= 0.01 * <v>.grad
    print(step, total.data, <v>.data)
---
<v> = Value(<f>)
<u> = <v>
for i in range(<w> % 4 + 1):
    <u> = <u> * <v> + i
    if <u>.data > 20:
        <u> = <u> * 0.1
<u>.backward()
print(<u>, <v>.grad)
---
<v> = (Value(<f>) - <f>) * -Value(<n>) + 3 * Value(<f>) - 1
print(<v>.relu(), tanh(<v> * 0.1), (2 - <v>).data, exp(<v> * 0.01).data)
---
<v> = Value(<n>)
<v> += <f>
<v> *= Value(<f>)
print(<v>, <v>.data == <v>.data, Value(<n>).grad, f'{<v>.data:.4f}')
---
def <v>(x, w, b):
    return (x * w + b).tanh()
a, b = Value(<f>), Value(<f>)
<u> = <v>(<n>, a, b) + <v>(<f>, a, b)
<u>.backward()
print(a.grad, b.grad)
"""
ERRORS = """\
print(<n> / (<w> - <w>))
---
print([1, 2, 3][<w> + 3])
---
print({'a': 1}['<s>'])
---
print(undefined_<v>)
---
print('<s>' + <n>)
---
print(<n> + '<s>')
---
print(len(<n>))
---
print(None.x)
---
print('<s>'.foo())
---
a, b = [1, 2, 3]
---
a, b, c = (1, 2)
---
print(int('<s>'))
---
print(float('<s>'))
---
raise ValueError('bad <s>', <n>)
---
raise RuntimeError
---
assert <n> > 1000, 'too small: <s>'
---
assert False
---
def f(x, y):
    return x
print(f(<n>))
---
def f(x):
    return x
f(1, 2, 3)
---
def f(*, k):
    return k
f(z=1)
---
print(math.sqrt(-<w> - 1))
---
print(math.log(0))
---
print(math.exp(10000))
---
print(2.0 ** 100000)
---
print([1] * 'a')
---
print(sorted([1, '<s>']))
---
print(<n>[0])
---
print(<n>())
---
for x in <n>:
    print(x)
---
print([] < 3)
---
import nothing_like_<v>
---
from math import <v>_of
---
(1, 2)[0] = 3
---
'<s>'[0] = 'x'
---
next(iter([]))
---
[].pop()
---
{}.popitem()
---
[1, 2].remove(<w> + 10)
---
max([])
---
print('{:d}'.format('<s>'))
---
print(f'{<f>:d}')
---
def f(n):
    return f(n + 1)
f(0)
---
class A:
    pass
A().x
---
class A:
    def __init__(self, x):
        self.x = x
A()
---
class B:
    def __len__(self):
        return -1
len(B())
---
try:
    1 / 0
except ZeroDivisionError as error:
    raise KeyError('<s>') from error
---
try:
    [][1]
finally:
    print('finally')
---
def g():
    yield 1
    raise ValueError('in a generator')
for x in g():
    print(x)
---
def f():
    print(later)
    later = 1
f()
---
print(isinstance(1, <n>))
---
int('1' * 5000)
---
{[1]: 2}
---
sum(['a', 'b'])
---
range(1.5)
---
'abc'.index('<s>q')
---
class E(Exception):
    def __str__(self):
        return 'own <s>'
raise E
---
del nothing_<v>
---
[1, 2, 3][::0]
---
print(*<n>)
---
print(**{'a': 1})
---
abs('<s>')
---
round('<s>')
---
chr(-1)
---
[x for x in range(3) if x.real / (x - 1)]
---
{x: 1 / x for x in [1, 0]}
---
(lambda x: x / 0)(<n>)
---
sorted([3, 1], key=lambda x: x.name)
---
list(map(int, ['1', '<s>']))
"""
ERRORS_OF_VALUES = """\
Value(<n>) + '<s>'
---
'<s>' * Value(<f>)
---
Value(<n>).foo
---
Value(<n>).data.bar
---
Value(<n>) + None
---
Value(<n>)()
---
Value(<n>)['a'] = 1
---
<v> = Value(<f>)
<v>.backward().x
---
Value()
---
Value(<n>).backward(1, 2, 3)
---
math.sqrt('<s>' * <w>) + Value(<n>)
"""


def parts_of(text: str) -> list[str]:
    return text.strip("\n").split("\n---\n")


SETS = {
    "plain": (parts_of(PARTS), parts_of(ERRORS)),
    "values": (parts_of(PARTS)[:8] + 4 * parts_of(VALUES), parts_of(ERRORS) + 5 * parts_of(ERRORS_OF_VALUES)),
}
"""Parts and errors by kind of program; those with Values have more of their own."""
WORDS = ("abc", "hello", "Grad", "x y", "naïve", "a", "step", "loss")


def filled(rng: random.Random, part: str) -> str:
    """Return a part with names and numbers in the place of its letters; a name stays the same within it."""
    names = {"v": rng.choice(("data", "result", "p", "q", "item", "table")), "u": rng.choice(("loss", "y", "z", "out"))}
    names |= {"s": rng.choice(WORDS).replace(" ", "_"), "t": rng.choice(WORDS).replace(" ", "_") + "_", "V": "Point"}

    def text(found: re.Match[str]) -> str:
        letter = found[1]
        if letter == "n":
            return str(rng.choice((0, 1, 2, 3, 5, 7, 12, 100)))
        if letter == "f":
            return rng.choice((f"{rng.uniform(-3, 3):.2f}", f"{rng.uniform(0, 1):.4f}", "0.5", "2.5", "1e-3"))
        if letter == "w":
            return str(rng.randint(3, 12))
        return str(rng.randint(0, 2)) if letter == "i" else names[letter]

    return re.sub("<([nfwiuvstV])>", text, part)


def indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.split("\n"))


def wrapped(rng: random.Random, part: str, number: int) -> str:
    """Return a part as it is, or inside a function, a loop, a condition, a class, or a `try` of something else."""
    name = f"task{number}"
    forms = [
        "{0}", "{0}", "{0}", f"def {name}():\n{{1}}\n{name}()",
        "for turn in range(1):\n{1}", "if True:\n{1}",
        f"class Box{number}:\n    def run(self):\n{{2}}\nBox{number}().run()",
        "try:\n{1}\nexcept AttributeError as problem:\n    print(type(problem).__name__, problem)",
        f"def {name}(depth):\n    if depth:\n        return {name}(depth - 1)\n{{1}}\n{name}(2)",
        "# a comment\n\n{0}\n",
    ]  # fmt: skip
    form = rng.choice(forms)
    return form.replace("{0}", part).replace("{1}", indented(part)).replace("{2}", indented(indented(part)))


def program(seed: int) -> str:
    """Return the program with a number; every other one is about Values."""
    rng = random.Random(f"like CPython {seed}")
    parts, errors = SETS["values" if seed % 2 else "plain"]
    chosen = [rng.choice(parts) for _ in range(rng.randint(1, 5))]
    if rng.random() < 0.6:
        chosen.append(rng.choice(errors))
        if rng.random() < 0.2:
            chosen.append(rng.choice(parts))
    return "\n".join(wrapped(rng, filled(rng, part), number) for number, part in enumerate(chosen)) + "\n"
