"""A launch that stops at a known execution until the test lets it go on.

A test that waits for some executions to end, and then does something to the others, may come too late on a
busy machine: all have ended. So weir-io finds a FIFO where it opens the output of one, and waits in it.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.workflow.conftest import SITE, Checkout
from tests.workflow.processes import until

ENDED = 3  # executions before the gate
# Each rank starts with it; the first one makes the FIFO before it starts MPI. $1 is the gate.
SCRIPT = f"""\
if [ "$3" = batch ] && [ -e "$1" ] && [ "${{OMPI_COMM_WORLD_RANK:-0}}" = 0 ]; then
    mkfifo "$(sed -n {ENDED + 1}p "$4" | cut -f 3)/stdout.txt"
fi
shift
exec "$@"
"""


@dataclass(frozen=True)
class Gate:
    """Closed from the start. While it is, weir-io waits after ENDED executions of a launch."""

    file: Path
    results: Path

    def is_reached(self) -> bool:
        """ENDED executions have ended; the next one has begun and cannot end."""
        return any(
            file.read_text().count("\n") == ENDED for file in self.results.glob("launches/*/status")
        ) and bool(list(self._fifos()))

    def wait(self) -> None:
        assert until(self.is_reached)

    def open(self) -> None:
        """For the launch that waits, and for all to come."""
        self.file.unlink()
        for fifo in self._fifos():
            os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)  # kept open: weir-io has a reader for what it prints

    def _fifos(self) -> Iterator[Path]:
        for file in self.results.glob("runs/*/*/stdout.txt"):
            if stat.S_ISFIFO(file.stat().st_mode):
                yield file


def close_gate(checkout: Checkout, results: Path | None = None) -> Gate:
    """Weir-io starts behind the gate by the plan, which is made anew."""
    gate = Gate(checkout.write("gate", ""), results or checkout.root / "results/local")
    script = checkout.write("gate.sh", SCRIPT)
    with checkout.edited(SITE) as site:
        programs = site["stacks"]["debian"]["programs"]
        programs["ior"] = ["sh", str(script), str(gate.file), *programs["ior"]]
    checkout.good("plan", "--out", "plan.json")
    return gate
