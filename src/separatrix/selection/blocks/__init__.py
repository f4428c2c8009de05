"""Choosing by a random sample of rows in blocks, and fitting what was chosen to all of them."""
