"""What facts.json tells the report of the audit."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.programs import write_file
from weir.collect.study_facts import archive_facts, commit_of


def row_of(**columns: str) -> dict[str, str]:
    return {"access": "write", "label": "a cell", "verdict": "VALID", "reasons": "", "evidence": ""} | columns


def test_reasons_come_with_what_they_mean_and_an_example() -> None:
    noted = [row_of(notes=f"sync-not-applied: {n} of 9") for n in "123"]
    degraded = row_of(verdict="DEGRADED", reasons="sync-not-applied", evidence="no fsync")
    rows = [*noted, degraded]
    facts = archive_facts({"title": "Old"}, rows, {"files": 1, "read": 1, "refused": 0})
    assert facts["about"] == {"title": "Old"}
    assert facts["verdicts"] == {"VALID": 3, "UNPROVEN": 0, "DEGRADED": 1, "INVALID": 0}
    (reason,) = facts["reasons"]
    assert reason["rule"] == "sync-not-applied"
    assert reason["records"] == 4
    assert "did not happen" in reason["explanation"]
    example, *others = reason["examples"]
    assert example == {"label": "a cell", "access": "write", "verdict": "DEGRADED", "evidence": "no fsync"}
    assert [one["evidence"] for one in others] == ["1 of 9", "2 of 9"]


def commit_in(folder: Path, text: str) -> str:
    """A new repository of one file; returns its commit."""
    write_file(folder / "file", text)
    git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message=a"]):
        subprocess.run([*git, *command], check=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], stdout=subprocess.PIPE, text=True, check=True).stdout


@pytest.mark.skipif(not shutil.which("git"), reason="there is no git")
def test_the_commit_is_of_the_code_where_git_is_told_of_another_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a hook of that one."""
    own, other = tmp_path / "own", tmp_path / "other"
    commit = commit_in(own, "own")
    commit_in(other, "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    assert commit_of(own) == commit.strip()
