"""Before anything is measured: does a target hold what its batches need, do ranks start where they should?"""

from __future__ import annotations

import reframe as rfm
from batch_test import WeirRun


@rfm.simple_test
class preflight(WeirRun):  # noqa: N801 - its name is what reframe -l prints
    """Whether a batch could start: mount, folder, space, inodes, programs, and ranks on their nodes."""

    executable_opts = ["--preflight"]  # noqa: RUF012 - ReFrame copies it
    tags = {"preflight"}  # noqa: RUF012 - ReFrame copies it
