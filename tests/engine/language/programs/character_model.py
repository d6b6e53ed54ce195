"""Counting pairs of letters, and names drawn from them."""
import random

names = ["emma", "olivia", "ava", "isabella", "sophia", "mia", "amelia", "harper", "evelyn", "ella"]
letters = sorted(set("".join(names)))
stoi = {s: i + 1 for i, s in enumerate(letters)}
stoi["."] = 0
itos = {i: s for s, i in stoi.items()}
N = [[0] * len(stoi) for _ in range(len(stoi))]
for name in names:
    chars = ["."] + list(name) + ["."]
    for ch1, ch2 in zip(chars, chars[1:]):
        N[stoi[ch1]][stoi[ch2]] += 1
print(len(stoi), sum(map(sum, N)), N[0])
P = [[(n + 1) / (sum(row) + len(row)) for n in row] for row in N]
random.seed(2147483647)
for _ in range(5):
    out, ix = [], 0
    while True:
        r, ix_next = random.random(), 0
        total = 0.0
        for j, p in enumerate(P[ix]):
            total += p
            if r < total:
                ix_next = j
                break
        ix = ix_next
        if ix == 0 or len(out) > 12:
            break
        out.append(itos[ix])
    print("".join(out) or "(empty)")
import math

log_likelihood, n = 0.0, 0
for name in names:
    chars = ["."] + list(name) + ["."]
    for ch1, ch2 in zip(chars, chars[1:]):
        log_likelihood += math.log(P[stoi[ch1]][stoi[ch2]])
        n += 1
print(f"{log_likelihood=:.4f}, {-log_likelihood / n:.6f}")
