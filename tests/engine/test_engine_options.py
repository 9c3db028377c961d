"""Wrong use is refused by name, at once, with exit code 2, and leaves no file."""

import re

import pytest

from tests.engine.runs import ROOT, Engine


@pytest.mark.parametrize("arguments", [["ior", "--bogus"], ["ior", "-t", "3"], ["iro"]])
def test_wrong_use_on_several_ranks_is_said_once(engine: Engine, arguments: list[str]) -> None:
    done = engine.call(arguments, ranks=3)
    assert done.code == 2
    assert len(done.complaints) == 1


def test_a_summary_file_that_cannot_be_written_is_known_before_anything_is_measured(engine: Engine) -> None:
    done = engine.call(["ior", "-w", "-k", "-o", "data", "-O", "summaryFile=absent/summary.json"])
    assert done.code == 2
    assert "absent/summary.json: No such file or directory" in done.complaints[0]
    assert list(engine.folder.iterdir()) == []


def test_help_names_personalities_and_back_ends(engine: Engine) -> None:
    done = engine.call(["--help"])
    assert done.code == 0
    for word in ("ior", "MPIIO", "NULL", "POSIX"):
        assert f"\n  {word} " in done.out
    assert engine.call([]).code == 2
    assert "did you mean 'ior'?" in engine.call(["iro"]).complaints[0]


def test_help_of_ior_lists_its_back_ends_as_ior_does(engine: Engine) -> None:
    done = engine.call(["ior", "--help"], ranks=2)
    assert done.code == 0
    assert done.out.count("\n  -a API ") == 1
    back_ends = {
        file.stem.upper()
        for file in (ROOT / "src" / "engine" / "backends").glob("*.c")
        if "\nWEIR_BACKEND(" in file.read_text()
    }
    listed = re.search(r"\n  -a API .*\[([A-Z0-9|]+)\]", done.out)
    assert listed
    assert listed[1] == "|".join(sorted(back_ends))
    assert "--null.trace" in done.out


def test_directives_are_options_by_another_name(engine: Engine) -> None:
    done = engine.good(
        "-a", "dummy", "-O", "writeFile=1,blockSize=64k,transferSize=8k", "-O", "REPETITIONS=2"
    )
    requested = done.document["requested"]
    assert (requested["api"], requested["block_bytes"], requested["xfer_bytes"], requested["iterations"]) == (
        "NULL",
        65536,
        8192,
        2,
    )
    assert requested["access"] == ["write"]
