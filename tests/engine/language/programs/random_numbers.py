"""random with a seed gives the numbers of a notebook."""
import random

random.seed(42)
print([random.random() for _ in range(3)])
print([random.uniform(-1, 1) for _ in range(3)])
print([random.gauss(0, 1) for _ in range(4)])
print([random.randint(1, 6) for _ in range(10)])
print(random.choice(["a", "b", "c"]), random.choices([1, 2, 3], k=4))
deck = list(range(8))
random.shuffle(deck)
print(deck, random.sample(range(100), 4))
random.seed(7)
w = [random.uniform(-1, 1) for _ in range(3)]
random.seed(7)
print(w == [random.uniform(-1, 1) for _ in range(3)], w)
