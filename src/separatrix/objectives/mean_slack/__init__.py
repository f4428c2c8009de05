"""The robust linear program: its objective, the value of its dual, and how a dual point is made feasible."""
