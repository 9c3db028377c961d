"""What Linux has since a few years, under `weir prove`: honest results and false ones beside them."""

from pathlib import Path

import pytest

from tests.compiled import built
from tests.programs import ran
from tests.witness.watched import is_built
from tests.zoo.proven import Proven, clean, proven
from tests.zoo.test_fetched_before import cold, filled

pytestmark = [pytest.mark.slow, is_built]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).with_name("new_ways.c")
    made = tmp_path_factory.mktemp("ways") / "new-ways"
    return built(made, source, "-std=gnu11", "-O2", "-Wall", "-Werror")


def moved(program: Path, how: str, folder: Path, is_cold: bool = True) -> list[Proven]:
    """The results that calls or counts fit, which is one or none; skipped where this kernel has no such
    way."""
    file = filled(folder / "file")
    tried = ran([program, how, file])
    if tried.returncode != 0:
        pytest.skip(f"this kernel: {how}: {tried.stderr.strip()}")

    def attempt() -> list[Proven]:
        cold(file)
        if not is_cold:
            Path(file).read_bytes()
        return proven([str(program), how, file], folder)

    return clean(attempt)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "how",
    [
        *("write", "write uncached", "write ring", "write ring uncached", "write ring thread"),
        *("write ring own", "write ring hidden", "read uncached"),
    ],
)
def test_an_honest_result_is_proven(program: Path, tmp_path: Path, how: str) -> None:
    (honest,) = moved(program, how, tmp_path)
    assert honest.is_proven, honest.text


@pytest.mark.parametrize("how", ["read ring", "read ring hidden"])
def test_a_read_by_a_queue_that_nobody_saw_is_not_accused(program: Path, tmp_path: Path, how: str) -> None:
    """The kernel counted as much, which may be of other pages, such as of the program itself."""
    (honest,) = moved(program, how, tmp_path)
    assert not honest.of_itself, honest.text
    assert honest.missing == ("fetched",), honest.text


def test_pages_that_the_kernel_counts_as_whole_folios(program: Path, tmp_path: Path) -> None:
    """The file is in the page cache, in folios of many pages where the file system has them."""
    (honest,) = moved(program, "write into pages", tmp_path, is_cold=False)
    assert honest.is_proven, honest.text
    for how in ("write into most", "write into most maps"):
        (lies,) = moved(program, how, tmp_path, is_cold=False)
        assert lies.of_itself or lies.missing, lies.text


@pytest.mark.parametrize("how", ["write ring idle", "write ring own idle", "write idle"])
def test_a_queue_that_moved_nothing(program: Path, tmp_path: Path, how: str) -> None:
    for lies in moved(program, how, tmp_path):
        assert lies.of_itself or lies.missing, lies.text


def test_an_uncached_read_of_what_is_in_memory(program: Path, tmp_path: Path) -> None:
    (lies,) = moved(program, "read uncached", tmp_path, is_cold=False)
    assert "read-from-cache" in lies.of_itself, lies.text
