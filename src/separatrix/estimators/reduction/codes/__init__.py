"""Codes: how several classes become two-class problems.

A code is a matrix with a row for each class, its codeword, and a column for each two-class problem: +1 and -1 for the
sides, 0 for classes that a problem leaves out (Dietterich and Bakiri, 1995; Allwein, Schapire and Singer, 2000).
"""

from separatrix.estimators.reduction.codes.pairs_and_rest import one_vs_one, one_vs_rest

__all__ = ["one_vs_one", "one_vs_rest"]
