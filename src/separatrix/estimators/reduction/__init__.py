"""Several classes by two-class problems: codes, their decoding, one class against the rest, one against one."""
