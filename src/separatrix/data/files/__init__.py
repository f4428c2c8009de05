"""Files: one door to all formats, a reader for each, and writing a file whole or not at all."""
