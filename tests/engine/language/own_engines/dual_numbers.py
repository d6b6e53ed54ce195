import math
class Dual:
    def __init__(self, real, dual=0.0): self.real, self.dual = real, dual
    def __add__(self, o): return Dual(self.real + o.real, self.dual + o.dual)
    def __mul__(self, o): return Dual(self.real * o.real, self.real * o.dual + self.dual * o.real)
    def __truediv__(self, o): return Dual(self.real / o.real, (self.dual * o.real - self.real * o.dual) / o.real ** 2)
    def exp(self): return Dual(math.exp(self.real), math.exp(self.real) * self.dual)
x = Dual(1.2, 1.0); c = Dual(3.0)
y = (x * x + c) / x.exp()
print(y.dual)
