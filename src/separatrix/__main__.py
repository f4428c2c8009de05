"""`python -m separatrix` is `separatrix`."""

import sys

from separatrix.cli.main import main

sys.exit(main())
