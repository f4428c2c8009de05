"""Machines in the space of a kernel: the matrix by tiles, block SMO, Newton rounds on the free rows."""
