"""Small files for the command line."""

import numpy as np

HEADER = "age,pressure,town,ill"


def patients(path, rows=80, seed=0):
    """Patients with words and missing numbers; the ill are older."""
    random = np.random.default_rng(seed)
    lines = [HEADER]
    for i in range(rows):
        ill = i % 2
        age = round(random.normal(40 + 20 * ill, 8), 1)
        pressure = "" if i % 9 == 0 else round(random.normal(120 + 5 * ill, 10), 1)
        lines.append(f"{age},{pressure},{('Rome', 'Oslo', 'Lima')[i % 3]},{('no', 'yes')[ill]}")
    path.write_text("\n".join(lines) + "\n")
    return path
