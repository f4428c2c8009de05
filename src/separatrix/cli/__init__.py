"""The command line: thin commands around the library."""
