"""The table of what batch systems tell: each cell is what tests/queues causes and looks for there."""

from tests.checkout import ROOT
from tests.queues.conftest import SYSTEMS
from tests.queues.test_faults import FAULTS

PAGE = ROOT / "docs/how-to/cluster-jobs.md"
ORDER = ("gridengine", "pbs", "flux", "oar")  # of the columns
SHOWN = sorted((each for each in SYSTEMS if each.faults), key=lambda each: ORDER.index(each.scheduler))


def test_the_table_has_what_is_looked_for() -> None:
    cells = [
        [name, *(f'"{each.faults[name].told}"' if name in each.faults else "-" for each in SHOWN)]
        for name in FAULTS
    ]
    expected = [f"| {' | '.join(each)} |" for each in cells]
    rows = [line for line in PAGE.read_text().splitlines() if line.split(" | ")[0][2:] in FAULTS]
    assert rows == expected


def test_every_fault_of_a_system_is_a_row() -> None:
    assert {name for each in SHOWN for name in each.faults} == set(FAULTS)
