"""How much the lab does for one page: more is refused with a sentence, so that no page can keep the machine busy."""

MAX_POINTS = 5000  # that people can tell apart in a picture, and that every method fits within seconds
MAX_CLASSES = 5  # as many as the palette tells apart, colour-blind people included
MAX_COLUMNS = 200  # of a file that is dropped: its projection is computed while somebody waits
MAX_MESSAGE_BYTES = 8 * 2**20  # of one message, a dropped file included
MAX_FIT_SECONDS = 10.0  # of one fit: longer than anybody watches a page that does nothing
MAX_FRAMES = 400  # of one run: a minute at seven frames a second; longer runs are thinned evenly

MAX_OTHER_SECONDS = 30.0  # of what is asked for by a click, and takes as long as it takes
MAX_SECONDS_UNANSWERED = 90.0  # by the clock on the wall, before a process that says nothing is killed
MAX_SLOTS = 4  # methods side by side, as many as fit beside one another on a screen
MAX_SOCKETS = 16  # open pages at once
MAX_CONNECTIONS = 128  # of any kind, so that there are always descriptors left for the ones that are wanted
MAX_QUEUED_BYTES = 1_000_000  # of answers that wait for one page to read them
MAX_SECONDS_UNREAD = 5.0  # that a page may leave its answers unread before its socket is closed
MAX_SECONDS_SILENT = 5.0  # that a connection may stay open before it has asked for something
MAX_CANCEL_SECONDS = 2.0  # that a computation has to end when the page moves on; then its process is killed
MIN_FIT_SECONDS = 0.1  # that a fit runs before a newer one of its slot ends it: a page that drags sees some fits end
