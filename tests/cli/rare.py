"""Payments of which one in two hundred is a fraud, with features that overlap."""

import numpy as np


def payments(path, n=4000, seed=0):
    """Write the file; larger amounts at greater distances are more often frauds."""
    rng = np.random.default_rng(seed)
    fraud = rng.permutation(np.arange(n) % 200 == 0)
    columns = {
        "amount": rng.gamma(2.0, 40.0, n) * np.where(fraud, 2.2, 1.0),
        "distance": rng.gamma(1.5, 10.0, n) * np.where(fraud, 2.2, 1.0),
        "hour": rng.integers(0, 24, n).astype(float),
    }
    lines = [",".join([*columns, "fraud"])]
    lines += [
        ",".join([*(f"{value:.2f}" for value in row), str(int(label))])
        for *row, label in zip(*columns.values(), fraud, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path
