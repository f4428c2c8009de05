"""What of an error is bias, and what is variance over training sets (Geman, Bienenstock and Doursat, 1992).

    squared     E_D (g(x; D) - f(x))^2  =  (E_D g(x; D) - f(x))^2  +  E_D (g(x; D) - E_D g(x; D))^2
    zero-one    P_D(h(x; D) != f(x))    =  [m(x) != f(x)]  +  net variance

where f(x) is E[y|x], or the best label, and m(x), the main prediction, is the most frequent one. Where m is right, the
net variance is P(h != m); where m is wrong, variance helps: it is -P(h = f) (Domingos, 2000). The averages over D are
over the sets that were drawn, for which both equations hold exactly.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.rows import Vector


@dataclass(frozen=True, eq=False, repr=False)
class BiasVariance:
    """The two parts of an error at each point; print it for their means.

    Parameters
    ----------
    loss : str
        "squared" or "zero_one".
    bias : ndarray of shape (n_points,)
        The squared bias; for labels 1 where the main prediction is wrong, else 0.
    variance : ndarray of shape (n_points,)
        The variance; for labels the net variance, which is negative where it helps.
    error : ndarray of shape (n_points,)
        Their sum: the mean square deviation from f, or the part of the sets that leads to another label.
    main : ndarray of shape (n_points,)
        The mean prediction, or the most frequent label.
    n_sets : int
        How many training sets were drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.theory.bias_variance import squared_parts
    >>> print(squared_parts(np.array([[1.0, 0.0], [3.0, 0.0]]), np.array([0.0, 0.0])))  # at one point 1 and 3, at one 0
    Bias and variance of a squared error, over 2 training sets, mean of 2 points
      error      2.5
      bias^2     2
      variance   0.5
    """

    loss: str
    bias: Vector
    variance: Vector
    error: Vector
    main: np.ndarray
    n_sets: int

    def __repr__(self) -> str:
        means = f"bias={self.bias.mean():.4g}, variance={self.variance.mean():.4g}, error={self.error.mean():.4g}"
        return f"BiasVariance({self.loss!r}, {means})"

    def __str__(self) -> str:
        squared = self.loss == "squared"
        what = "a squared error" if squared else "a zero-one error"
        lines = [
            f"Bias and variance of {what}, over {self.n_sets:,} training sets, mean of {self.bias.size:,} points",
            f"  error      {self.error.mean():.4g}",
            f"  {'bias^2' if squared else 'bias':<10} {self.bias.mean():.4g}",
            f"  variance   {self.variance.mean():.4g}{'' if squared else ', net: it helps where the bias is 1'}",
        ]
        return "\n".join(lines)


def squared_parts(predictions: Vector, target: Vector) -> BiasVariance:
    """The parts of a mean square deviation, from one row of predictions for each training set."""
    mean = predictions.mean(axis=0)
    bias, variance = (mean - target) ** 2, ((predictions - mean) ** 2).mean(axis=0)
    error = ((predictions - target) ** 2).mean(axis=0)
    return BiasVariance("squared", bias, variance, error, mean, len(predictions))


def zero_one_parts(predictions: np.ndarray, target: np.ndarray) -> BiasVariance:
    """The parts of an error rate, from one row of labels for each training set; ties go to the first label."""
    labels, codes = np.unique(predictions, return_inverse=True)
    codes = codes.reshape(predictions.shape)
    counts = np.array([(codes == code).sum(axis=0) for code in range(labels.size)])
    main = labels[counts.argmax(axis=0)]
    error = (predictions != target).mean(axis=0)
    bias = (main != target).astype(float)
    return BiasVariance("zero_one", bias, error - bias, error, main, len(predictions))
