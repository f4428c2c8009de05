"""One algorithm a file: functions from a Problem to a Solution, on plain arrays."""
