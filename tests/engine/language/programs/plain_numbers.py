"""A script without classes and functions: whole numbers and everything of math."""
import math

n = 7
half = n // 2
print(half, n % 2, n / 2, divmod(n, 2), 20 // n, 20 % n)
if n % 2 == 1:
    print("odd")
for i in range(n // 3):
    print(i)
print(math.log(8, 2), math.log2(8), math.log10(1000), math.hypot(3, 4), math.fabs(-1), math.pow(2, 3))
print(math.atan2(1, 1), math.tan(0.5), math.isclose(0.1 + 0.2, 0.3), math.prod([1, 2, 3]), math.trunc(2.7))
x = 8.0
print(math.log(x, 2.0), math.fabs(-x), f"{x:.3f}")
