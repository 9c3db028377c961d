"""Outputs in the documents of a launcher: what Ansible registers, prints for a task, or keeps as lines."""

import json
from pathlib import Path

import pytest

from tests.unit.imported import rows_of
from tests.unit.tools.test_mdtest_tables import DATE, V1, V3
from weir.base.errors import WeirError
from weir.collect.plain_outputs import captured_outputs

RESULT = {"cmd": "docker logs client", "stdout": DATE + V1, "stderr": "no device\n", "rc": 0}
LINES = {"stdout_lines": (DATE + V3).splitlines(), "changed": True}


@pytest.mark.parametrize(
    ("text", "accesses"),
    [
        (json.dumps(RESULT), ["create"]),
        (json.dumps(LINES, indent=4), ["stat"]),
        (json.dumps({"results": [{"item": 1, **RESULT}, {"item": 2, **LINES}]}), ["create", "stat"]),
        (json.dumps([{"plays": [{"tasks": [{"hosts": {"n7": RESULT}}]}]}]), ["create"]),
        (f"{json.dumps(RESULT)}\n\n{json.dumps(LINES)}\n", ["create", "stat"]),
        (f"TASK [run]\nchanged: [node7] => {json.dumps(RESULT)}\n", ["create"]),
        (f"node7 | CHANGED => {json.dumps(RESULT)}\n", ["create"]),
    ],
)
def test_outputs_in_documents_of_ansible(tmp_path: Path, text: str, accesses: list[str]) -> None:
    """3,210 results of an artefact of a conference were 'JSON of something else'."""
    rows = rows_of(tmp_path, text)
    assert [row["access"] for row in rows] == accesses
    assert all(row["tasks"] == 4 for row in rows)


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"stdout": 3}',
        '{"stdout": "",',
        '"stdout"\n' + '{"a":\n' * 10,
        "[" * 100_000 + '"stdout"',
        json.dumps({"hosts": {"n7": RESULT, "n8": RESULT}}),
        "".join(f"changed: [{host}] => {json.dumps(RESULT)}\n" for host in ("n7", "n8")),
        "".join(f"{host} | CHANGED => {json.dumps(RESULT)}\n" for host in ("n7", "n8")),
    ],
)
def test_other_documents_have_no_output(text: str) -> None:
    """Runs of several hosts at one time are no repetitions."""
    assert captured_outputs(text) == ""


def test_a_document_without_an_output_is_named_as_before(tmp_path: Path) -> None:
    with pytest.raises(WeirError, match="JSON of something else"):
        rows_of(tmp_path, json.dumps(RESULT | {"stdout": "Hello\n"}))
