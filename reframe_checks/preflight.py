"""Checks before anything is measured: whether a target holds what its batches need, and ranks start where
they should."""

import json
from pathlib import Path
from typing import Any

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function
from weir_checks.batch_test import WeirRun


@rfm.simple_test
class preflight(WeirRun):  # noqa: N801 - its name is what reframe -l prints
    """Whether a batch could start: mount, folder, space, inodes, programs, and ranks on their nodes."""

    executable_opts = ["--preflight", "--json"]  # noqa: RUF012 - ReFrame copies it
    tags = {"preflight"}  # noqa: RUF012 - ReFrame copies it

    @run_before("sanity")
    def skip_what_this_machine_lacks(self):
        """Skips an optional target that this machine lacks."""
        problems = [_told(row) for row in self._rows() if row["problem"] and not row["unavailable_cells"]]
        if problems and self.case.plan.site.targets[self.case.batch.target].optional:
            self.skip(f"unavailable: {problems[0]}")

    @sanity_function
    def the_batch_could_start(self):
        if problems := self._problems():
            return sn.assert_true(False, "; ".join(problems))
        checked = "weir run checked nothing; rfm_job.err has the reason"
        return sn.all(
            [
                sn.assert_true(self._rows(), checked),
                sn.assert_found("^weir run ended with 0$", self.stdout, "weir run failed; see rfm_job.err"),
            ]
        )

    def _rows(self) -> list[dict[str, Any]]:
        """The rows that `weir run --preflight --json` printed, below what a profile or a prologue may
        have."""
        output = Path(self.stagedir, self.job.stdout).read_text(encoding="utf-8", errors="replace")
        text = output.rpartition("weir run ended with")[0]
        start = text.find("[\n")
        try:
            found = json.loads(text[start:]) if start >= 0 else []
        except ValueError:
            return []
        return found if isinstance(found, list) else []

    def _problems(self) -> list[str]:
        return [_told(row) for row in self._rows() if row["problem"]]


def _told(row: dict[str, Any]) -> str:
    return f"{row['check']}: {row['problem']}"
