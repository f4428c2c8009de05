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


def houses(path, rows=90, seed=0):
    """Houses with words and missing numbers, and a price that grows with their area."""
    random = np.random.default_rng(seed)
    lines = ["area,age,town,price"]
    for i in range(rows):
        area, age = random.uniform(40, 200), "" if i % 11 == 0 else random.integers(0, 90)
        town = ("Rome", "Oslo", "Lima")[i % 3]
        price = 2000 * area + (40_000 if town == "Rome" else 0) + 8000 * random.standard_normal()
        lines.append(f"{area:.1f},{age},{town},{price:.2f}")
    path.write_text("\n".join(lines) + "\n")
    return path


def machines(path, rows=90, seed=0):
    """Machines without a target; row 20 is far too hot."""
    random = np.random.default_rng(seed)
    lines = ["load,heat,site"]
    for i in range(rows):
        load = random.normal(60, 8)
        heat = 30 + 0.5 * load + random.normal(0, 2) + (60 if i == 20 else 0)
        lines.append(f"{load:.2f},{heat:.2f},{('A', 'B')[i % 2]}")
    path.write_text("\n".join(lines) + "\n")
    return path
