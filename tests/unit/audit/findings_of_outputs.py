"""As findings.py: rules about what the outputs of a run hold, and about the files that it left."""

from dataclasses import replace

from tests.unit.audit.subjects import DONE, cases, degraded, invalid, noted, printed, subject

FOUND = {
    "warning-printed": [
        degraded(
            "tree directory",
            messages=printed("unable to create tree directory '/s/mdtest_tree.0/'", "warning"),
        ),
        noted("moon", messages=printed("the moon is full", "warning")),
    ],
    "output-edited": invalid("summary.json", run=replace(DONE, differing=("summary.json",))),
    "run-replayed": invalid(
        "the same output as 0123/000", run=replace(DONE, same_as="the same output as 0123/000")
    ),
    "authors-verdict": noted("the table's author", replace(subject(verdict="VALID"), from_output=False)),
}
FINDS = cases(FOUND)
