"""Entry point of `python -m protosphere`, which runs the command `protosphere`."""

import sys

from protosphere.cli import main

if __name__ == "__main__":
    sys.exit(main())
