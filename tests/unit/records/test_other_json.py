"""JSON of other programs has a version, too."""

from __future__ import annotations

import pytest

from weir.records.importing import _kind, runs_in
from weir.tools.ior.rows import parse_log

_STATUS = """# How it goes

```json
{
  "Setting": {"Name": "myfs", "UUID": "e9d8373a"},
  "Sessions": [{"Version": "1.0.0+2022-08-08.cf0c269", "HostName": "ubuntu"}]
}
```
"""


@pytest.mark.parametrize("text", [_STATUS, '{"Version": "2012-10-17", "Statement": []}\n'])
def test_a_version_alone_makes_no_log_of_ior(text: str) -> None:
    assert list(parse_log(text)) == []
    assert "IOR" not in _kind(text, runs_in(text))


def test_a_run_that_was_cut_after_its_first_lines_is_one_of_ior() -> None:
    cut = '{\n  "Version": "4.1.0+dev",\n  "Began": "Thu Jan  1 00:00:00 2026",\n'
    assert [run.program for run in parse_log(cut)] == ["IOR"]
