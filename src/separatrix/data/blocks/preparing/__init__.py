"""A Preparation of rows in blocks: its statistics by few passes, and the blocks that it makes features of."""
