"""What a run of ReFrame printed and stored, for tests of the checks."""

import json
import re
import sqlite3
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from tests.workflow.conftest import Checkout

SETTINGS = "reframe_checks/settings.py"


@dataclass(frozen=True)
class Session:
    """One run of ReFrame on the checks."""

    done: subprocess.CompletedProcess[str]

    @property
    def text(self) -> str:
        return self.done.stdout + self.done.stderr

    @property
    def outcomes(self) -> list[str]:
        """OK, FAIL or SKIP of each test case."""
        return re.findall(r"^\[ +(OK|FAIL|SKIP) +\]", self.done.stdout, re.M)

    def ended(self, *outcomes: str) -> Self:
        """Itself, if its test cases have these outcomes."""
        assert self.outcomes == [*outcomes], self.text
        return self

    @property
    def values(self) -> list[str]:
        """Lines of performance."""
        return re.findall(r"^P: (.*)$", self.done.stdout, re.M)


def reframe(
    checkout: Checkout,
    *arguments: str,
    settings: str = SETTINGS,
    checks: str = "reframe_checks",
    environment: Mapping[str, str] | None = None,
) -> Session:
    """With a results database in the checkout."""
    command = ("reframe", "--nocolor", "-C", settings, "-c", checks, *arguments)
    storage = {
        "RFM_ENABLE_RESULTS_STORAGE": "y",
        "RFM_SQLITE_DB_FILE": str(checkout.root / "results.db"),
        "RFM_PREFIX": str(checkout.root / "rfm"),
    }
    return Session(checkout.call(*command, environment={**storage, **(environment or {})}))


def measure(checkout: Checkout, *arguments: str, **named: Any) -> Session:
    return reframe(checkout, "--system=local", "--name=^measure", "--run", *arguments, **named)


def stored_cases(checkout: Checkout) -> list[dict[str, Any]]:
    """Test cases in the results database, the oldest first."""
    with sqlite3.connect(checkout.root / "results.db") as connection:
        found = connection.execute("SELECT json_blob FROM sessions ORDER BY session_start_unix").fetchall()
    return [case for (text,) in found for run in json.loads(text)["runs"] for case in run["testcases"]]


def performance_log(checkout: Checkout) -> list[str]:
    """Lines of all performance logs, without headers."""
    files: list[Path] = sorted(checkout.root.glob("rfm/perflogs/**/*.log"))
    return [line for file in files for line in file.read_text().splitlines()[1:]]
