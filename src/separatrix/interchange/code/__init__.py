"""Linear models as plain code, without this package: Python, SQL and C."""
