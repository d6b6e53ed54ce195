"""Functions that yield lists of their own, and objects that the program changes meanwhile."""
def batches_of(xs, size):
    batch = []
    for x in xs:
        batch.append(x)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
numbers, collected = [], []
for i in range(5):
    numbers.append(i)
for batch in batches_of(numbers, 2):
    collected.append(batch)
    print(batch)
class Leaf:
    def __init__(self, data, children=()):
        self.data = data
        self.children = children
def leaves(node):
    if not node.children:
        yield node
    for child in node.children:
        yield from leaves(child)
a, b = Leaf(2), Leaf(3)
for leaf in leaves(Leaf(0, (a, b))):
    leaf.data += 1
print(a.data, b.data)
