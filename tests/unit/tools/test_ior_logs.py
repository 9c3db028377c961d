"""What logs of other people look like: without a header, in small letters, with overflown sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from weir.terms.model import Parsed
from weir.tools import tools
from weir.tools.complaints import complaint

LOG = (Path(__file__).parents[2] / "golden/ior/ior-posix-shared.txt").read_text()


def runs(text: str) -> list[Parsed]:
    return list(tools()["ior"].parse_log(text))


def test_a_log_without_its_first_lines_has_the_same_rows() -> None:
    (whole,) = runs(LOG)
    (rest,) = runs(LOG[LOG.index("Options:") :])
    assert (rest.program, rest.tool_version) == ("IOR", "")
    assert [row["bw_mib_s"] for row in rest.rows] == [row["bw_mib_s"] for row in whole.rows]
    assert [row["api"] for row in rest.rows] == ["POSIX"] * len(rest.rows)


def test_an_interface_in_small_letters_is_the_same_interface() -> None:
    (run,) = runs(LOG.replace("-a POSIX", "-a posix").replace(": POSIX", ": posix"))
    assert {row["api"] for row in run.rows} == {"POSIX"}


def test_what_was_requested_is_the_product_not_what_ior_expects() -> None:
    """IOR's own sum of a large file overflows."""
    (before,) = runs(LOG)
    warning = "WARNING: Expected aggregate file size       = 137438953472\n"
    moved = f"WARNING: Using actual aggregate bytes moved = {before.rows[0]['moved_bytes']}\n"
    place = LOG.index("\nwrite ") + 1
    (after,) = runs(LOG[:place] + warning + moved + LOG[place:])
    assert after.rows[0]["requested_bytes"] == before.rows[0]["requested_bytes"]
    assert after.rows[0]["moved_bytes"] == before.rows[0]["moved_bytes"]


@pytest.mark.parametrize(
    "line",
    [
        "srun: error: Ignoring --cpu-bind, the plugin is not loaded",
        "slurmstepd: error: option --slurmd-debug is unsupported, ignoring",
        "srun: error: Invalid SLURMD_DEBUG value: 3",
        "0: slurmstepd: error: unable to read the energy counter, ignoring it",
    ],
)
def test_what_slurm_ignores_is_no_error_of_the_tool(line: str) -> None:
    assert complaint(line) is None
