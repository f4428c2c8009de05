"""Exact leave-one-out of support vector machines: from the optimum of all rows to the optimum without each of them."""
