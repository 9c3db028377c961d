"""R's own checker accepts the analysis as a package."""

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.programs import ran


def test_what_belongs_to_the_package_is_in_it() -> None:
    """R CMD check runs every tests/*.R, without the checkout that these need."""
    assert [file.name for file in (ROOT / "analysis/tests").glob("*.R")] == []


@pytest.mark.slow
def test_r_cmd_check_has_no_error_and_no_warning(tmp_path: Path) -> None:
    if not shutil.which("R") or not shutil.which("make"):
        pytest.skip("R or make is not on the PATH")
    shutil.copytree(ROOT / "analysis", tmp_path / "analysis")
    # The manual needs LaTeX, and no function has a page; nothing here runs byte code.
    command = ["R", "CMD", "check", "--no-manual", "--install-args=--no-byte-compile", "analysis"]
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "_R_CHECK_FORCE_SUGGESTS_": "false"}
    environment["_R_CHECK_USE_CODETOOLS_"] = "false"  # lint-r finds undefined names
    done = ran(command, cwd=tmp_path, env=environment, timeout=600, code=0)
    assert re.search(r"^Status: (OK|\d+ NOTEs?)$", done.stdout, re.MULTILINE), done.stdout
    assert re.findall(r"^\* checking .*(?:ERROR|WARNING)$", done.stdout, re.MULTILINE) == [], done.stdout
