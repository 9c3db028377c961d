"""Scripts under `weir prove` that move time from one result to another, each beside its honest twin."""

import shutil
import tempfile
from pathlib import Path

import pytest

from tests.zoo.keeper import ENGINE
from tests.zoo.proven import proven
from weir.witness.document import LIBRARY

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _library() -> None:
    if not LIBRARY.is_file():
        pytest.skip(f"{LIBRARY.name} is not built: make build")


MOVES_TIME = """\
for name in a b; do dd if=/dev/zero of={place}/$name bs=64K count=1600 2>/dev/null; done
for time in {times}; do
    echo "1600+0 records in"
    echo "1600+0 records out"
    rate=$(echo 104.8576 $time | awk '{{ print $1 / $2 }}')
    echo "104857600 bytes (105 MB, 100 MiB) copied, $time s, $rate MB/s"
done
"""


def test_a_script_that_moves_time_from_one_result_to_another(tmp_path: Path) -> None:
    place = Path(tempfile.mkdtemp(dir="/dev/shm"))
    try:
        lies = proven(["sh", "-c", MOVES_TIME.format(place=place, times="0.0005 5")], tmp_path)
        honest = proven(["sh", "-c", MOVES_TIME.format(place=place, times="2.5 2.5")], tmp_path)
    finally:
        shutil.rmtree(place)
    assert "shorter-than-its-calls" in lies[0].findings, lies[0].text
    assert not any(one.of_itself for one in honest), honest[0].text


MOVES_TIME_OF_NAMES = """\
{mdtest} -n 4000 -F -C -T -r -d {place}/files >{place}/printed
awk -v by={by} '$1 == "File" && $2 == "creation" {{ for (i = 3; i < 6; i++) $i *= by }}
    $1 == "File" && $2 == "removal" {{ for (i = 3; i < 6; i++) $i /= by }} {{ print }}' {place}/printed
"""


def test_a_script_that_moves_time_from_a_creation_to_a_removal() -> None:
    """All operations together lasted as long as the calls."""
    found = {}
    for by in (1, 5):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
            script = MOVES_TIME_OF_NAMES.format(mdtest=f"{ENGINE} mdtest", place=place, by=by)
            found[by] = proven(["sh", "-c", script], Path(place))
    assert not any(set(one.of_itself) - {"phase-too-short"} for one in found[1]), found[1][0].text
    assert "shorter-than-its-calls" in found[5][0].findings, found[5][0].text


def test_a_script_that_moves_time_between_results_of_other_sizes() -> None:
    script = """\
for size in 800 400; do dd if=/dev/zero of={place}/$size bs=1M count=$size 2>/dev/null; done
for one in 800:{first} 400:9; do
    echo "${{one%:*}}+0 records in"
    echo "${{one%:*}}+0 records out"
    echo "${{one%:*}} ${{one#*:}}" |
        awk '{{ print $1 * 2^20, "bytes copied,", $2, "s,", $1 * 1.048576 / $2, "MB/s" }}'
done
"""
    found = {}
    for first in (0.02, 9):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
            found[first] = proven(["sh", "-c", script.format(place=place, first=first)], Path(place))
    assert "shorter-than-its-calls" in found[0.02][0].findings, found[0.02][0].text
    assert not any(one.of_itself for one in found[9]), found[9][0].text
