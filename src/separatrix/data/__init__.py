"""From files, frames and arrays to a Problem."""

from separatrix.data.encode import Encoded, encode
from separatrix.data.files.reading import read_table
from separatrix.data.kesler import kesler_vectors
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.table import Table

__all__ = ["Encoded", "Preparation", "Table", "encode", "kesler_vectors", "read_table"]
