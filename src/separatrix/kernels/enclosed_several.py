"""What several kernels of the same two rows say together of the rounding of their values."""

from collections.abc import Iterator
from typing import Any

from separatrix.enclosures.products import Enclosed
from separatrix.kernels.enclosed_kernel import EnclosedKernel


class EnclosedSeveral(EnclosedKernel):
    """Enclosures of parts, put together as the values of the parts are."""

    parts: tuple[Any, ...]

    def enclosed_together(self, values: Iterator[Enclosed]) -> Enclosed:
        """One enclosure from those of the parts."""
        raise NotImplementedError

    def balls_together(self, values: Iterator[Any]) -> Any:
        """One ball from those of the parts."""
        raise NotImplementedError

    def enclosed_matrix(self, A: Any, B: Any) -> Enclosed:
        """Compute the values of all parts for all pairs of rows."""
        if self.by_products:
            return super().enclosed_matrix(A, B)
        return self.enclosed_together(part.enclosed_matrix(A, B) for part in self.parts)

    def enclosed_diagonal(self, A: Any) -> Enclosed:
        """Compute the values of all parts for each row with itself."""
        return self.enclosed_together(part.enclosed_diagonal(A) for part in self.parts)

    def enclosed_of_products(self, P: Enclosed, left_squares: Enclosed, right_squares: Enclosed) -> Enclosed:
        """Values of all parts from the same products."""
        copies = ((part, Enclosed(P.value.copy(), P.radius)) for part in self.parts)
        return self.enclosed_together(
            part.enclosed_of_products(own, left_squares, right_squares) for part, own in copies
        )

    def enclosed_of_distances(self, D: Enclosed) -> Enclosed:
        """Values of all parts from the same distances."""
        copies = ((part, Enclosed(D.value.copy(), D.radius)) for part in self.parts)
        return self.enclosed_together(part.enclosed_of_distances(own) for part, own in copies)

    def in_balls(self, product: Any, left_square: Any, right_square: Any) -> Any:
        """Compute the values of all parts, where each has a form in balls."""
        values = [part.in_balls(product, left_square, right_square) for part in self.parts]
        return None if any(value is None for value in values) else self.balls_together(iter(values))
