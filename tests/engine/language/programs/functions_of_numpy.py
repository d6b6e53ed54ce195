"""What tutorials use of numpy."""
import numpy as np

x = np.linspace(0, 1, 5)
print(x.tolist(), x.shape[0])
w = np.array([[1.0, 2.0], [3.0, 4.0]])
v = np.array([0.5, -1.0])
print((w @ v).tolist(), (w * 2).tolist(), w.shape, (float(w.sum()), float(w.mean())))
print(float(np.tanh(0.5)), float(np.exp(1.0)), float(np.sum(v)), np.maximum(v, 0.0).tolist(), np.zeros(3).tolist(), np.ones((2, 2)).tolist())
print([round(float(t), 6) for t in np.sin(x)])
for row in w:
    print(row.tolist())
print((v**2).tolist(), abs(v).tolist(), float(w[1][0]), float(w[0, 1]))
