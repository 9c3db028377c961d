"""Scripts under `weir prove` that move time from one result to another, each beside its honest twin."""

import tempfile
from pathlib import Path

import pytest

from tests.witness.watched import is_built
from tests.zoo.keeper import ENGINE
from tests.zoo.proven import proven

pytestmark = [pytest.mark.slow, is_built]

OF_TWO_WRITES = """\
for name in a b; do dd if=/dev/zero of={place}/$name bs=64K count=1600 2>/dev/null; done
for time in {told}; do
    echo "1600+0 records in"
    echo "1600+0 records out"
    rate=$(echo 104.8576 $time | awk '{{ print $1 / $2 }}')
    echo "104857600 bytes (105 MB, 100 MiB) copied, $time s, $rate MB/s"
done
"""
OF_NAMES = """\
{mdtest} -n 4000 -F -C -T -r -d {place}/files >{place}/printed
awk -v by={told} '$1 == "File" && $2 == "creation" {{ for (i = 3; i < 6; i++) $i *= by }}
    $1 == "File" && $2 == "removal" {{ for (i = 3; i < 6; i++) $i /= by }} {{ print }}' {place}/printed
"""
OF_OTHER_SIZES = """\
for size in 800 400; do dd if=/dev/zero of={place}/$size bs=1M count=$size 2>/dev/null; done
for one in 800:{told} 400:9; do
    echo "${{one%:*}}+0 records in"
    echo "${{one%:*}}+0 records out"
    echo "${{one%:*}} ${{one#*:}}" |
        awk '{{ print $1 * 2^20, "bytes copied,", $2, "s,", $1 * 1.048576 / $2, "MB/s" }}'
done
"""


@pytest.mark.parametrize(
    ("script", "honest", "lies"),
    [
        pytest.param(OF_TWO_WRITES, "2.5 2.5", "0.0005 5", id="two writes"),
        pytest.param(OF_NAMES, "1", "5", id="creation and removal"),
        pytest.param(OF_OTHER_SIZES, "9", "0.02", id="other sizes"),
    ],
)
def test_a_script_that_moves_time_from_one_result_to_another(script: str, honest: str, lies: str) -> None:
    """All operations together lasted as long as the calls."""
    found = {}
    for told in (honest, lies):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
            command = script.format(mdtest=f"{ENGINE} mdtest", place=place, told=told)
            found[told] = proven(["sh", "-c", command], Path(place))
    assert not any(one.of_itself for one in found[honest]), found[honest][0].text
    assert "shorter-than-its-calls" in found[lies][0].findings, found[lies][0].text
