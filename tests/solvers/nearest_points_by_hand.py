"""The nearest points of two convex hulls as textbooks write them down, and by trying all faces."""

from itertools import product

import numpy as np


def separable(n, d, gap, seed):
    """Rows on both sides of a random plane, at least so far from it, and their signs; both signs are there."""
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal(d)
    normal /= np.linalg.norm(normal)
    X = rng.standard_normal((n, d))
    y = np.where(X @ normal > 0, 1, -1)
    for side in (1, -1):
        if not (y == side).any():
            X[0], y[0] = X[0] - 2 * (X[0] @ normal) * normal, side
    return X + gap * np.outer(y, normal), y


def shortest_on_segment(a, b):
    """The part of the way from a to b that comes nearest to the origin."""
    return float(np.clip(a @ (a - b) / ((a - b) @ (a - b)), 0.0, 1.0))


def gilbert(A, B, p, q, steps):
    """Distances ||p - q||, p in the hull of the rows of A: d moves towards the corner x_i - x_j furthest against it."""
    for _ in range(steps):
        d = p - q
        yield np.linalg.norm(d)
        x, z = A[np.argmin(A @ d)], B[np.argmax(B @ d)]
        t = shortest_on_segment(d, x - z)
        p, q = p + t * (x - p), q + t * (z - q)


def schlesinger_kozinec(A, B, p, q, steps):
    """The same where the point moves whose class has the row that is furthest beyond it."""
    for _ in range(steps):
        d = p - q
        yield np.linalg.norm(d)
        x, z = A[np.argmin(A @ d)], B[np.argmax(B @ d)]
        if d @ (p - x) > d @ (z - q):
            p = p + shortest_on_segment(d, x - q) * (x - p)
        else:
            q = q + shortest_on_segment(d, p - z) * (z - q)


def planar_distance(A, B):
    """The distance of two hulls in the plane that do not meet: from a corner of the one to an edge of the other."""
    return min(
        np.linalg.norm(a + shortest_on_segment(a - x, b - x) * (b - a) - x) if (a != b).any() else np.linalg.norm(a - x)
        for edges, corners in ((A, B), (B, A))
        for a, b, x in product(edges, edges, corners)
    )
