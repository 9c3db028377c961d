"""python -m weir: the command line, also where the console script is not installed."""

from __future__ import annotations

import sys

from weir.cli import main

sys.exit(main())
