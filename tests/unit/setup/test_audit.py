"""make audit-packages: advisories are findings; a service that has no data does not count as success."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT
from tests.programs import ran, write_program

NOT_KNOWN = {"name": "one", "skip_reason": "Dependency not found on PyPI"}


def package(name: str, *advisories: str) -> dict[str, Any]:
    found = [{"id": advisory, "fix_versions": ["2.0"]} for advisory in advisories]
    return {"name": name, "version": "1.0", "vulns": found}


def program(folder: Path, *answers: list[dict[str, Any]] | str) -> str:
    """Stands for pip-audit: one answer for each service, in their order; a text is an error."""
    cases = []
    for service, answer in zip(("pypi", "osv"), answers, strict=False):
        if isinstance(answer, str):
            body = f"echo 'Traceback' >&2; echo '{answer}' >&2; exit 1"
        else:
            found = json.dumps({"dependencies": answer, "fixes": []})
            body = f"echo '{found}'; exit {int(any(one.get('vulns') for one in answer))}"
        cases.append(f"*--vulnerability-service={service}*) {body} ;;")
    text = '#!/bin/sh\ncase "$*" in\n' + "\n".join(cases) + "\nesac\n"
    return str(write_program(folder / "pip-audit", text))


@pytest.mark.parametrize(
    ("answers", "code", "told"),
    [
        (([package("one"), package("two")],), 0, "2 packages, by the advisories of pypi: 0 findings"),
        (([package("one", "PYSEC-1")],), 1, "one 1.0: PYSEC-1, fixed in 2.0"),
        (([NOT_KNOWN, package("two")],), 1, "one: Dependency not found on PyPI"),
        (([NOT_KNOWN], [package("one", "GHSA-1")]), 1, "1 packages, by the advisories of osv: 1 findings"),
        (([NOT_KNOWN], "no such host"), 0, "skipped, no advisories can be reached:\n  pypi: Dependency not"),
        (("no such host", "no such host"), 0, "  osv: no such host"),
    ],
)
def test_advisories_are_findings_and_an_audit_without_any_is_skipped_by_name(
    tmp_path: Path, answers: tuple[list[dict[str, Any]] | str, ...], code: int, told: str
) -> None:
    command = [sys.executable, ROOT / "envs/audit.py", program(tmp_path, *answers), "requirements.txt"]
    done = ran(command)
    assert (done.returncode, done.stderr) == (code, "")
    assert told in done.stdout
