"""The fewest errors that a plane can make: implicit hitting sets."""
