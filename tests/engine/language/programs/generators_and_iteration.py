"""Loops in all their forms."""
total = 0
for i, (name, value) in enumerate([("a", 1), ("b", 2)]):
    total += value * (i + 1)
    print(i, name, value)
print(total)
for x, y, z in zip([1, 2, 3], "abc", [True, False, None]):
    print(x, y, z)
print(sum(x * x for x in range(10)), max((len(w), w) for w in ["aa", "b", "cccc"]))
print(sorted(["b", "A", "c"], key=lambda word: word.lower()), sorted([3, 1, 2], reverse=True), list(reversed([1, 2, 3])))
print([(i, j) for i in range(3) for j in range(i)], {k: v for k, v in zip("ab", [1, 2])}, {x % 3 for x in range(9)})
n, steps = 27, 0
while n != 1:
    n = 3 * n + 1 if n % 2 else n // 2
    steps += 1
print(steps)
for n in range(2, 30):
    for d in range(2, n):
        if n % d == 0:
            break
    else:
        print(n, end=" ")
print()
stack = [1]
while stack:
    top = stack.pop()
    if top < 40:
        stack.extend([top * 2, top * 3])
    else:
        print(top, end=",")
print()
grid = [[0] * 4 for _ in range(3)]
for r in range(3):
    for c in range(4):
        grid[r][c] = r * c
print("\n".join(" ".join(f"{cell:2d}" for cell in row) for row in grid))
i = 0
while True:
    i += 1
    if i % 2:
        continue
    if i > 6:
        break
    print("even", i)
