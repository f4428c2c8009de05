"""Several classes by two-class problems: codes, one class against the rest, one against one."""
