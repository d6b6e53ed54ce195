"""Classes with a length, a truth, an order, in-place operators, and a choice by match."""


class Stack:
    def __init__(self, *items):
        self.items = list(items)

    def __len__(self):
        return len(self.items)

    def __iadd__(self, item):
        self.items.append(item)
        return self

    def __contains__(self, item):
        return item in self.items


class Price:
    def __init__(self, amount):
        self.amount = amount

    def __bool__(self):
        return self.amount > 0

    def __lt__(self, other):
        return self.amount < other.amount

    def __le__(self, other):
        return not other < self

    def __imul__(self, factor):
        self.amount *= factor
        return self


class Shop:
    def __init__(self):
        self.price = Price(3)


stack = Stack()
print(len(stack), bool(stack), not stack, "empty" if not stack else "full")
same = stack
stack += 1
stack += (2 + 3)
print(len(same), 5 in stack, 7 in stack, stack.items)
while stack:
    stack.items.pop()
print("now" if stack else "gone", len([1, 2]), bool(""))

a, b = Price(2), Price(5)
print(a < b, (b) < (a), a > b, a <= a, a >= b, 1 < 2 <= 3)
print([p.amount for p in (a, b, Price(0)) if p], bool(Price(0) or a))
if a and b:
    print("both")
shop = Shop()
shop.price *= 2 + 1
print(shop.price.amount)
numbers = other = [1]
numbers += [2]
n = 7
n //= 2
print(other, n)
for k in (1, 2, "x", [4, 5]):
    match k:
        case 1:
            print("one")
        case str():
            print("a text")
        case [first, second]:
            print("a pair", first, second)
        case _:
            print("another", k)
