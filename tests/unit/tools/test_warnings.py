"""A warning is judged by what it does to the result, never by being a warning."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.tools.test_mdtest_tables import DATE, V1
from weir.records.facts import Facts
from weir.records.importing import import_files
from weir.terms.model import Row
from weir.tools.complaints import DOUBTFUL, FAILED, JUDGED, NONE, complaint, effect_of

EFFECTS = {
    "could not read stonewall status file": NONE,
    "Backend returned error during statfs": NONE,
    "assuming POSIX-based backend for MMAP statfs call": NONE,
    "unable to remove directory /s/test-dir.0-0": NONE,
    "unable to remove directory /s/test-dir.0-0/mdtest_tree.0/dir.mdtest.0.3": FAILED,
    "unable to stat file /s/test-dir.0-0/mdtest_tree.0/file.mdtest.1.3": FAILED,
    'rank 1: unlink() of file "/s/mdtest_tree.0/file.mdtest.1.3" failed': FAILED,
    "write(5, 0x7f, 4096) failed No space left on device": FAILED,
    "fsync(5) failed": FAILED,
    "unable to create tree directory '/s/test-dir.0-0/mdtest_tree.0/'": DOUBTFUL,
    "Unable to create directory /s/test-dir.0-0/mdtest_tree.0/mdtest_tree.1/": DOUBTFUL,
    "cannot use O_DIRECT": DOUBTFUL,
    "fsync() only available in POSIX. Using value of 0.": JUDGED,
    "no barriers between phases": None,
}


@pytest.mark.parametrize("text", EFFECTS)
def test_effect(text: str) -> None:
    assert effect_of(text) == EFFECTS[text]
    message = complaint(f"WARNING: {text}")
    assert message is not None
    assert message.level == ("error" if EFFECTS[text] == FAILED else "warning")


def created(tmp_path: Path, text: str) -> Row:
    log = tmp_path / "log.txt"
    log.write_text(text)
    (row,) = import_files([log], Facts()).rows
    return row


@pytest.mark.parametrize("text", [text for text, effect in EFFECTS.items() if effect in (NONE, None)])
def test_a_warning_without_a_known_effect_is_at_most_a_note(text: str, tmp_path: Path) -> None:
    row = created(tmp_path, DATE + V1.replace("4 tasks, 2000", f"WARNING: {text}\n4 tasks, 2000"))
    assert (row["verdict"], row["reasons"]) == ("UNPROVEN", "")
    assert row["notes"] == ("" if EFFECTS[text] else f"warning-printed: {text}")


def test_a_complete_table_without_the_last_line_is_not_cut(tmp_path: Path) -> None:
    """As pages show it: 1.9 prints all lines of its table, also those without a rate."""
    table = V1.replace("   Tree creation", "   File removal      : 0 0 0 0\n   Tree creation")
    row = created(tmp_path, table.partition("-- finished")[0])
    assert (row["verdict"], row["reasons"], row["missing"]) == ("UNPROVEN", "", "end;operations")
    assert row["notes"].startswith("output-incomplete: all results are there")


def test_a_table_that_ends_in_its_middle_is_cut(tmp_path: Path) -> None:
    row = created(tmp_path, V1.partition("   File stat")[0])
    assert (row["verdict"], row["reasons"]) == ("INVALID", "output-incomplete")


def test_a_file_that_all_ranks_share_has_its_operations_counted(tmp_path: Path) -> None:
    text = V1.replace("4 tasks, 2000 files", "4 tasks, 1 file").replace(" -F ", " -F -S ")
    row = created(tmp_path, text)
    assert (row["requested_ops"], row["ops"]) == (2000, 2000)


def test_a_tree_that_is_there_does_no_harm_to_what_is_looked_at(tmp_path: Path) -> None:
    """A phase of its own finds the directories of the one that created."""
    warned = "WARNING: Unable to create test directory path /s/mdtest-easy\n4 tasks, 2000"
    row = created(tmp_path, DATE + V1.replace("4 tasks, 2000", warned))
    assert row["access"] == "create"
    assert (row["verdict"], row["reasons"]) == ("DEGRADED", "warning-printed")
    looked = DATE + V1.replace("4 tasks, 2000", warned).replace("File creation", "File stat    ")
    assert (created(tmp_path, looked)["access"], created(tmp_path, looked)["reasons"]) == ("stat", "")
