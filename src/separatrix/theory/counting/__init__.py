"""How many ways there are to separate points: Cover's count, general position, threshold functions."""
