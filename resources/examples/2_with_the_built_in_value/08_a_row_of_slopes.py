# A function and its slope, plotted: the curve of tanh and its gradient over a range of inputs
import matplotlib.pyplot as plt
import numpy as np

xs = np.arange(-3, 3, 0.25)
values, slopes = [], []
for x in xs:
    v = Value(x)
    y = v.tanh()
    y.backward()
    values.append(y.data)
    slopes.append(v.grad)

plt.plot(xs, values, label="tanh")
plt.plot(xs, slopes, label="its slope")
plt.legend()
plt.show()
