import math
class Dual:
    def __init__(self, real, dual=0.0):
        self.real = real
        self.dual = dual
    def __add__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.real + o.real, self.dual + o.dual)
    def __mul__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.real * o.real, self.real * o.dual + self.dual * o.real)
    def sin(self):
        return Dual(math.sin(self.real), math.cos(self.real) * self.dual)
x = Dual(2.0, 1.0)
y = Dual(3.0)
z = x * y + x.sin()
print(z.real, z.dual)
