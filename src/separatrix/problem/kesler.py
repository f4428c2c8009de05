"""Kesler's construction (Nilsson, 1965): a linear machine for k classes as one vector that must be positive on others.

    v = [v_1, ..., v_k] is right about a row z of class c   where   <v, a> > 0  for the k - 1 vectors a of the row:
    z in block c, -z in block j, zeros elsewhere, for every other class j

This is the one place that writes the vectors out. `Planes.margins` and `solvers.online.kesler` compute with them
without doing so, and are tested against it.
"""

import numpy as np


def other_classes(y: np.ndarray, n_classes: int) -> np.ndarray:
    """The classes j != y_i of each row in ascending order, of shape (n, n_classes - 1).

    >>> other_classes(np.array([0, 2]), 3).tolist()
    [[1, 2], [0, 1]]
    """
    place = np.arange(n_classes - 1)
    return place + (place >= np.asarray(y)[:, None])


def blocks(Z: np.ndarray, own: np.ndarray, other: np.ndarray, n_classes: int) -> np.ndarray:
    """One vector for each row of Z against one other class, as an array of shape (len(Z), n_classes, Z.shape[1]).

    >>> blocks(np.array([[5, 1]]), np.array([0]), np.array([2]), 3).tolist()
    [[[5, 1], [0, 0], [-5, -1]]]
    """
    vectors, each = np.zeros((len(Z), n_classes, Z.shape[1]), dtype=Z.dtype), np.arange(len(Z))
    vectors[each, own] = Z
    vectors[each, other] -= Z
    return vectors


def all_vectors(Z: np.ndarray, y: np.ndarray, n_classes: int) -> np.ndarray:
    """The vectors of all rows, row by row and within a row by the other class; shape (n (k - 1), k Z.shape[1])."""
    rivals = n_classes - 1
    vectors = blocks(np.repeat(Z, rivals, axis=0), np.repeat(y, rivals), other_classes(y, n_classes).ravel(), n_classes)
    return vectors.reshape(len(vectors), -1)
