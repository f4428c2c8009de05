"""The largest margin of a plane through the origin by an independent solver."""

import clarabel
import numpy as np
from scipy import sparse

from separatrix.data import kesler_vectors


def best_margin(vectors: np.ndarray) -> float:
    """max gamma with <v, z> >= gamma for each vector and ||v|| = 1: min ||v||^2 / 2 with <v, z> >= R, scaled to R."""
    n, d = vectors.shape
    radius = np.linalg.norm(vectors, axis=1).max()
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    P, A = sparse.csc_matrix(np.eye(d)), sparse.csc_matrix(-vectors / radius)
    cones = [clarabel.NonnegativeConeT(n)]
    v = np.array(clarabel.DefaultSolver(P, np.zeros(d), A, -np.ones(n), cones, settings).solve().x)
    return float((vectors @ v).min() / np.linalg.norm(v))


def corrected_by(X, y, *, fit_intercept=True, bias_step=1.0, normalized=False) -> np.ndarray:
    """The vectors that a perceptron adds, written out; for more than two classes by Kesler's construction."""
    X = np.asarray(X, dtype=float)
    step = float((X**2).sum(axis=1).max()) if bias_step == "radius2" else bias_step
    Z = np.column_stack([X, np.full(len(X), np.sqrt(step))]) if fit_intercept else X
    Z = Z / np.linalg.norm(Z, axis=1)[:, None] if normalized else Z
    classes = np.unique(y)
    if classes.size > 2:
        return kesler_vectors(Z, y, fit_intercept=False)
    return np.where(np.asarray(y) == classes[1], 1.0, -1.0)[:, None] * Z


def best_bound(X, y, **how) -> float:
    """(R / gamma)^2 with the largest margin there is."""
    vectors = corrected_by(X, y, **how)
    return float((np.linalg.norm(vectors, axis=1).max() / best_margin(vectors)) ** 2)
