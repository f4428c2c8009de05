"""Files: one reader for each format, a door to all of them, and writing a file whole or not at all."""
