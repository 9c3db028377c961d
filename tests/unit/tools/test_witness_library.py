"""libweir-witness is found in the checkout, else in the package, else beside the weir-io of the PATH."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.programs import ran, write_file, write_program
from weir.witness.document import LIBRARY_NAME, witness_library

PROGRAM = "from weir.witness.document import LIBRARY; print(LIBRARY)"


def _prefix(folder: Path, libraries: str) -> Path:
    """As `cmake --install` lays it out."""
    for part in ("bin", libraries):
        (folder / part).mkdir(parents=True, exist_ok=True)
    write_program(folder / "bin" / "weir-io", "#!/bin/sh\n")
    (folder / libraries / LIBRARY_NAME).write_text("")
    return folder


@pytest.mark.parametrize("libraries", ["lib", "lib64", "bin"])
def test_a_prefix_on_the_path_has_it(libraries: str, tmp_path: Path) -> None:
    prefix = _prefix(tmp_path / "prefix", libraries)
    found = witness_library(tmp_path / "wheel", str(prefix / "bin"))
    assert found == prefix / libraries / LIBRARY_NAME


def test_a_link_to_the_engine_leads_to_its_prefix(tmp_path: Path) -> None:
    prefix = _prefix(tmp_path / "prefix", "lib")
    (tmp_path / "view").mkdir()
    (tmp_path / "view" / "weir-io").symlink_to(prefix / "bin" / "weir-io")
    assert witness_library(tmp_path / "wheel", str(tmp_path / "view")) == prefix / "lib" / LIBRARY_NAME


def test_the_checkout_comes_first(tmp_path: Path) -> None:
    prefix = _prefix(tmp_path / "prefix", "lib")
    built = tmp_path / "checkout" / "build" / LIBRARY_NAME
    write_file(built, "")
    assert witness_library(tmp_path / "checkout", str(prefix / "bin")) == built


def test_what_pip_compiled_comes_before_that_of_the_path(tmp_path: Path) -> None:
    prefix = _prefix(tmp_path / "prefix", "lib")
    (tmp_path / LIBRARY_NAME).write_text("")
    assert witness_library(tmp_path / "site", str(prefix / "bin"), tmp_path) == tmp_path / LIBRARY_NAME


def test_without_any_it_names_where_a_build_puts_it(tmp_path: Path) -> None:
    found = witness_library(tmp_path, str(tmp_path))
    assert (found, found.is_file()) == (tmp_path / "build" / LIBRARY_NAME, False)


def test_an_installed_weir_takes_that_of_the_path(tmp_path: Path) -> None:
    """A copy of the package without a checkout around it, as a wheel installs it."""
    site = tmp_path / "site"
    shutil.copytree(ROOT / "weir", site / "weir", ignore=shutil.ignore_patterns("__pycache__"))
    prefix = _prefix(tmp_path / "prefix", "lib")
    environment = os.environ | {"PATH": f"{prefix / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(site)}
    done = ran([sys.executable, "-P", "-c", PROGRAM], check=True, cwd=tmp_path, env=environment, timeout=60)
    assert done.stdout.strip() == str(prefix / "lib" / LIBRARY_NAME)
