"""Rows that are held out of a study for one test of what it chose, and what is measured on them."""
