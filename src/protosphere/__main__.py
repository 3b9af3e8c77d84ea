"""Entry point of `python -m protosphere`, which is the same as `protosphere`."""

import sys

from protosphere.cli import main

if __name__ == "__main__":
    sys.exit(main())
