"""The primal and the dual value of log losses: of rows that are all at hand, and of blocks of rows."""
