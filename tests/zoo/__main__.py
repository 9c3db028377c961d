"""make zoo: visits every animal and writes docs/zoo.md; fails if one is not recognised."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.zoo.animals import ABSENT, ANIMALS, CONTROLS, Animal
from tests.zoo.keeper import ROOT, Keeper, Visit, found
from weir.model import Row

_HEAD = """\
# The zoo

For sceptics: fake storages with known answers, and what weir reports about each. `make zoo` stages them on
the machine it runs on (2 ranks, 64 MiB each) and writes this page; tests/zoo holds the fakes.

Faults are preloaded (tests/zoo/shims.c). The rule [interposed-library](audit.md#interposed-library) finds
every preloaded library by itself and is not listed: the table shows what the other witnesses saw, so that
a fault in a kernel, a driver or a library of another kind is found as well.

| animal | how it is staged | access | weir run | its JSON imported | its printed table imported |
|---|---|---|---|---|---|
"""
_ABSENT_HEAD = """
## Not staged

| animal | why |
|---|---|
"""
_PRELOADED = "interposed-library"
_UNRELATED = ("phase-too-short", "machine-busy")  # of a small run, and of what else this machine does


def cell(rows: list[Row], access: str) -> str:
    """Verdict and reasons, or a dash where there is no record."""
    texts = []
    for verdict, reasons, notes in found(rows, access):
        shown = [f"[{name}](audit.md#{name})" for name in reasons if name != _PRELOADED]
        shown += [f"note [{name}](audit.md#{name})" for name in notes if name not in _UNRELATED]
        if reasons == [_PRELOADED]:
            verdict = "INVALID by the preload alone"
        texts.append(f"{verdict}{': ' * bool(shown)}{', '.join(shown)}")
    return "; ".join(texts) or "-"


def line(animal: Animal, visit: Visit) -> str:
    parts = [cell(rows, animal.access) for rows in (visit.run, visit.document, visit.table)]
    return f"| {animal.name} | {animal.what} | {animal.access} | {' | '.join(parts)} |"


def is_recognised(animal: Animal, visit: Visit) -> bool:
    """A control has no finding; an animal has one of its rules on its access."""
    rows = found(visit.run or visit.document, animal.access)
    names = {name for _, reasons, notes in rows for name in (*reasons, *notes)}
    if not animal.rules:
        return bool(rows) and all(verdict == "VALID" for verdict, _, _ in rows)
    return bool(names & set(animal.rules))


def main() -> int:
    lines, missed = [], []
    with tempfile.TemporaryDirectory(prefix="weir-zoo-") as folder:
        keeper = Keeper(Path(folder))
        keeper.open()
        try:
            for animal in (*CONTROLS, *ANIMALS):
                visit = keeper.visit(animal)
                lines.append(line(animal, visit))
                print(lines[-1], flush=True)
                if not is_recognised(animal, visit):
                    missed.append(animal.name)
        finally:
            keeper.close()
    absent = [f"| {name} | {why} |" for name, why in ABSENT.items()]
    (ROOT / "docs" / "zoo.md").write_text(
        _HEAD + "\n".join(lines) + "\n" + _ABSENT_HEAD + "\n".join(absent) + "\n"
    )
    print(f"not recognised: {', '.join(missed)}" if missed else f"{len(lines)} recognised")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
