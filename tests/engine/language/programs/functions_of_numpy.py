"""What tutorials use of numpy."""
import numpy as np

x = np.linspace(0, 1, 5)
print(x.tolist(), len(x))
w = np.array([[1.0, 2.0], [3.0, 4.0]])
v = np.array([0.5, -1.0])
print((w @ v).tolist(), (w * 2).tolist(), w.shape, (w.sum(), w.mean()))
print(np.tanh(0.5), np.exp(1.0), float(np.sum(v)), np.maximum(v, 0).tolist(), np.zeros(3).tolist(), np.ones((2, 2)).tolist())
print([round(float(t), 6) for t in np.sin(x)])
for row in w:
    print(row.tolist())
print((v**2).tolist(), (v > 0).tolist() if hasattr(v > 0, "tolist") else None, abs(v).tolist(), w[1][0], w[0, 1])
