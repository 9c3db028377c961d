"""As findings.py: rules about what the outputs of a run hold, and about the files that it left."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.audit.subjects import DONE, printed, subject
from weir.audit import Subject

FINDS: list[tuple[str, Subject, str, str]] = [
    (
        "warning-printed",
        subject(messages=printed("unable to create tree directory '/s/mdtest_tree.0/'", "warning")),
        "DEGRADED",
        "tree directory",
    ),
    ("warning-printed", subject(messages=printed("the moon is full", "warning")), "NOTE", "moon"),
    ("output-edited", subject(run=replace(DONE, differing=("summary.json",))), "INVALID", "summary.json"),
    (
        "run-replayed",
        subject(run=replace(DONE, same_as="the same output as 0123/000")),
        "INVALID",
        "the same output as 0123/000",
    ),
    ("authors-verdict", replace(subject(verdict="VALID"), from_output=False), "NOTE", "the table's author"),
]
