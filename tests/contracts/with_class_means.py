"""A plugin for pytest, `-p contracts.with_class_means`: all tests of the run know one more algorithm."""

from contracts.class_means import ROW
from separatrix.estimators.registry import register

whole_run = register(ROW)
whole_run.__enter__()
