"""How numbers are printed."""
import math

value = 3.14159265
print(f"{value:.2f} {value:8.3f}| {value:<10.4f}| {value:^12.1e}| {value:+.1f}")
print(f"{42:5d}|{42:<5d}|{42:05d}|{42:x}|{42:b}|{1234567:,}|{0.25:.1%}")
print(f"{'left':<8}|{'right':>8}|{'mid':^9}|{'*' * 3}")
print(f"{value=}", f"{value!r}", f"{'text'!r:>8}", f"{{braces}}")
width, digits = 10, 3
print(f"{value:{width}.{digits}f}|{-value:{width}.{digits}f}")
print("%d items, %.3f, %s, %5.1f%%, %r" % (3, value, "text", 12.5, "q"))
print("{} and {}; {0}".replace("{0}", "x").format(1, 2))
print("{0} {1} {0}".format("a", "b"), "{name}: {n:.1f}".format(name="loss", n=0.25))
print(1, 2, 3, sep=" - ", end="!\n")
print("no newline", end="")
print(" continued")
print()
print(1.0, 1.5e300, 1e-300, 100000.0, 1e15, 1e16, 123456789012345678, -0.0, 5e-324)
print(float("inf"), -math.inf, math.nan, math.pi, math.e)
print([1.0, 2.5], (1,), {"a": 1.0}, {3}, [], (), {}, set())
print(repr("it's"), repr('say "x"'), str([1, "a"]), repr(None))
print(f"{1e10:.3g} {123.456:g} {0.00001234:g} {1e-10:e}")
print(round(1.005, 2), round(-2.5), round(1234.5678, -2), 7 // 2.0, -7 // 2, 7 % -3)
for k in range(3):
    print(f"{k:>3} loss {10 ** -k:.6f}", "▇" * (3 - k))
print(math.sqrt(2), math.exp(1), math.log(10), math.tanh(0.5), math.floor(-1.5), math.ceil(1.2), math.factorial(6))
