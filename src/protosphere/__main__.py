"""Entry point of `python -m protosphere`. It runs the same program as the command `protosphere`."""

import sys

from protosphere.cli import main

if __name__ == "__main__":
    sys.exit(main())
