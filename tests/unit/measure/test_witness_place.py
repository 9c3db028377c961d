"""The library of the witness in a checkout whose path the loader would split."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.programs import ran
from weir.witness import document
from weir.witness.document import LIBRARY_NAME, gather_witness, witness_variables

NAMES = ("α β", "a:b", "plain")


@pytest.mark.parametrize("checkout", NAMES)
@pytest.mark.parametrize("results", NAMES)
def test_the_loader_finds_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checkout: str, results: str
) -> None:
    library, outputs = tmp_path / checkout / LIBRARY_NAME, tmp_path / results / "outputs"
    library.parent.mkdir()
    outputs.mkdir(parents=True)
    source = tmp_path / "called.c"
    source.write_text(
        '#include <unistd.h>\n__attribute__((constructor)) static void f(void) { write(1, "here", 4); }\n'
    )
    built = subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=False)
    if built.returncode != 0:
        pytest.skip("no C compiler")
    monkeypatch.setattr(document, "LIBRARY", library)
    variables = witness_variables(outputs, tmp_path, str(tmp_path), "")
    started = ran(["/bin/true"], cwd=outputs, env={**os.environ, **variables}, check=True)
    assert (started.stdout, started.stderr) == ("here", "")
    gather_witness(outputs)
    assert list(outputs.iterdir()) == []
