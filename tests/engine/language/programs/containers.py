"""Lists, tuples, dicts, sets, text: what a tutorial does with them."""

words = "the quick brown fox jumps over the lazy dog the end".split()
counts = {}
for word in words:
    counts[word] = counts.get(word, 0) + 1
for word, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:3]:
    print(f"{word:<6}|{count:>3}")

numbers = [5, 3, 8, 1, 9, 2]
print(sorted(numbers), numbers[::-1], numbers[1:4], numbers[-2:], max(numbers), min(numbers), sum(numbers))
numbers.sort(reverse=True)
numbers.append(0)
numbers.insert(1, 7)
print(numbers, numbers.pop(), numbers.index(8), 3 in numbers)
matrix = [[i * 3 + j for j in range(3)] for i in range(3)]
print(matrix, [list(row) for row in zip(*matrix)], [x for row in matrix for x in row if x % 2])

print({1, 2, 3} & {2, 3, 4}, {1, 2} | {5}, {1, 2, 3} - {2}, len({1, 1, 1}))
letters = {letter: position for position, letter in enumerate("abc", start=1)}
print(letters, list(letters), letters.get("z", "none"), "a" in letters)
merged = {**letters, "d": 4}
merged.update(e=5)
print(merged, sum(merged.values()))
print(("a",) * 3, (1, 2) + (3,), tuple("xy"), divmod(17, 5), 17 // 5, -17 // 5, -17 % 5, 2**10, 7 / 2)
text = "Hello, World"
print(text.lower(), text.upper(), text.replace("l", "L"), text.find("World"), text[::-1], text.count("l"))
print("-".join(["a", "b", "c"]), "  strip  ".strip(), "a,b,,c".split(","), "x".center(5, "*"), "7".zfill(3))
print(any(n > 8 for n in [1, 9]), all([]), list(zip("ab", [1, 2])), list(range(10, 0, -3)))
print(list(map(lambda x: x * x, [1, 2, 3])), list(filter(lambda x: x > 1, [1, 2, 3])), abs(-3), round(2.5), round(3.14159, 2))
print(isinstance(3, int), isinstance("a", (int, str)), type(3.0).__name__, int("42"), float("1e-3"), str(1.0), bool(""))
nested = {"layers": [{"w": [1, 2]}, {"w": [3]}]}
nested["layers"][1]["w"] += [4, 5]
print(nested)
x = [1, 2, 3]
y = x
y += [4]
print(x is y, x == [1, 2, 3, 4], x)
while x:
    if x[0] == 2:
        x = x[1:]
        continue
    if x[0] == 4:
        break
    print("left", x)
    x = x[1:]
else:
    print("never")
print("a" "b", 'it\'s', "tab\tend", """two
lines""", r"\n")
print(1 < 2 < 3, not True, 1 if [] else 2, None is None, 0.1 + 0.2, 1e16, 1e-5, 123456789.123, 1 / 3)
