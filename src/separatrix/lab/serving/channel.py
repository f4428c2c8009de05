"""What the server and the processes that compute say to one another: short frames through two pipes.

kind (one letter), number of the job, length: big-endian, then as many bytes of UTF-8

to the process     J  a job: the text of a page's message    C  cancel the job      L  load what fits need
from the process   A  an answer, as JSON    D  the job is done    R  ready to begin    W  warm: all is loaded
"""

import struct

HEADER = struct.Struct(">cII")
JOB, CANCEL, LOAD = b"J", b"C", b"L"
READY, ANSWER, DONE, LOADED = b"R", b"A", b"D", b"W"


def packed(kind: bytes, job: int, text: bytes = b"") -> bytes:
    r"""A frame as it goes through a pipe.

    >>> packed(ANSWER, 7, b"{}")
    b'A\x00\x00\x00\x07\x00\x00\x00\x02{}'
    """
    return HEADER.pack(kind, job, len(text)) + text
