"""`python -m protosphere` is `protosphere`."""

import sys

from protosphere.cli import main

if __name__ == "__main__":
    sys.exit(main())
