"""docs/tutorial.md: its commands in their order, by an installed weir, outside of any checkout."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import ran
from tests.unit.docs.pages import blocks
from tests.unit.setup.test_wheel import built_wheel
from tests.workflow.conftest import ROOT
from weir.measure.machine.host import file_system_of

pytestmark = pytest.mark.slow
PAGE = ROOT / "docs" / "tutorial.md"
ENGINE = ROOT / "build" / "weir-io"
# Characters. The longest line is Snakemake's reason to measure anew: the cells of the study before and now.
LONG_LINE = 1000


def installed(folder: Path) -> dict[str, str]:
    """The environment of a weir that pip installed; the packages that it needs are those of the tests."""
    (folder / "wheel").mkdir()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index"]
    arguments = [*pip, "--no-deps", "--target", str(folder / "site"), str(built_wheel(folder / "wheel"))]
    subprocess.run(arguments, check=True)
    clean = {key: value for key, value in os.environ.items() if not key.startswith("WEIR_")}
    path = f"{Path(sys.executable).parent}:{ENGINE.parent}:{clean['PATH']}"
    return {**clean, "PATH": path, "PYTHONPATH": str(folder / "site")}


def test_the_tutorial_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not ENGINE.exists():
        pytest.skip("build/weir-io is missing: make build")
    monkeypatch.setenv("WEIR_BUILD_WITNESS", "no")  # weir-io needs none, and test_wheel.py compiles it
    environment = installed(tmp_path)
    bash = shutil.which("bash") or "bash"
    folder, printed = tmp_path, {}
    for block in blocks(PAGE):
        text = block.text.replace("/var/tmp/weir-tutorial", str(tmp_path / "disk"))
        if (file_system_of(tmp_path) or {}).get("type") == "tmpfs":
            text = text.replace("kind: disk", "kind: memory")  # the preflight refuses another kind
        if "weir bundle" in text:
            # Without R, which test_bundle.py has: figures are drawn once here, and that is enough.
            environment |= {"PATH": str(Path(sys.executable).parent)}
        arguments = [bash, "-euc", text]
        done = ran(arguments, cwd=folder, env=environment, timeout=300)
        assert done.returncode == 0, f"{block.name}\n{done.stdout}{done.stderr}"
        printed[text.split("\n")[0]] = done.stdout
        longest = max((done.stdout + done.stderr).splitlines(), key=len, default="")
        assert len(longest) < LONG_LINE, f"{block.name}\n{longest}"
        folder = tmp_path / "my-disk"
    assert "\n  cells         2 " in printed["weir plan --suite first --target mine"]
    assert " 0 differ" in printed["weir verify results/local/first"]
    compared = printed["weir compare before results/local/first --across sync"]
    assert compared.startswith("4 pairs: ")
    # Each of the four has a ratio, since the copied study lacks nothing; but for records that a busy machine
    # degraded. What is faster is the machine's matter.
    assert compared.count(" x") == 4 or " DEGRADED records not used" in compared
    assert "nothing is decided" not in compared
    assert "proven" in printed["weir show results/local/first"]
    assert "%PDF" in (folder / "results/local/first/report.pdf").read_bytes()[:8].decode()
    # The second study, whose writes were not synced, is the one that is audited last.
    audited = printed["weir audit results/local/first/records.csv"]
    assert " 24 records of 2 cells: " in audited
    # On tmpfs there is nothing to synchronise with.
    assert ("not-synchronised: 12 NOTE" in audited) == (
        (file_system_of(tmp_path) or {}).get("type") != "tmpfs"
    )
    assert (folder / "again").is_dir()
