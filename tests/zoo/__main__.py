"""make zoo: visits every animal and writes docs/zoo.md; fails if one is not recognised.

IOR=PATH names the real IOR; without it, the page stays as it is. ONLY="NAME, NAME" visits these animals, and
the page keeps the rows of the others.
"""

import os
import sys
import tempfile
from pathlib import Path

from tests.zoo.animals import EDIT, Animal
from tests.zoo.composed.tally import TITLE, read_lines, section
from tests.zoo.controls import CONTROLS
from tests.zoo.errors import CannotStageError
from tests.zoo.everyone import ANIMALS
from tests.zoo.keeper import ROOT, Keeper, Visit, found
from tests.zoo.unseen import ABSENT, BLIND
from weir.records.model import Row

PAGE = ROOT / "docs" / "zoo.md"
_HEAD = """\
# The zoo

For sceptics: fake storages with known answers, and what weir reports about each.

`make zoo IOR=/path/to/ior` stages them (tests/zoo) with 2 ranks of 64 MiB and writes this page.

- **weir-io**, **IOR, witness**: records of `weir run` with weir's own program, and with hpc/ior, 4.1.0+dev
  and [libweir-witness](reference/witness.md). IOR cannot drop caches: buffered reads come from the cache.
- **import**: `weir import` of what the same run printed. A log of IOR is UNPROVEN at best.

Most faults are preloaded libraries. [interposed-library](audit.md#interposed-library), which notes each, is
not listed: the table has what would find such a fault in a kernel or driver, too.

| animal | how it is staged | access | weir-io | IOR, witness | import of weir-io | import of IOR |
|---|---|---|---|---|---|---|
"""
_ABSENT_HEAD = """
## Not staged

| animal | why |
|---|---|
"""
_BLIND_HEAD = """
## What weir cannot see

"""
_PRELOADED = "interposed-library"
_UNRELATED = ("phase-too-short", "machine-busy")  # of a small run, and of what else this machine does
_NO_IOR = "-"
_NOT_FOOLED = "not staged"
_COLUMNS = 7


def cell(rows: list[Row], animal: Animal) -> str:
    """Verdict and reasons of the worst record of the access, or a dash where there is none."""
    texts = []
    for row, (verdict, reasons, notes) in zip(_of(rows, animal), found(rows, animal.access), strict=True):
        unrelated = [name for name in (*_UNRELATED, _PRELOADED) if name not in animal.rules]
        hidden = [] if _PRELOADED in animal.ior else [_PRELOADED]
        shown = [f"[{name}](audit.md#{name})" for name in reasons if name not in hidden]
        shown += [f"note [{name}](audit.md#{name})" for name in notes if name not in unrelated]
        missing = [name for name in (row["missing"] or "").split(";") if name]
        if verdict != "UNPROVEN":  # what is missing tells nothing more, but where it is what shows the animal
            missing = [name for name in missing if name in animal.rules]
        if missing:
            shown.append(f"missing {', '.join(missing)}")
        texts.append(f"{verdict}{': ' * bool(shown)}{', '.join(shown)}")
    return "; ".join(dict.fromkeys(texts)) or "-"


def _of(rows: list[Row], animal: Animal) -> list[Row]:
    return [row for row in rows if row["access"] == animal.access]


def columns(animal: Animal, visit: Visit) -> tuple[str, str]:
    """The cells of one program: its run, and the import of what it printed."""
    return visit.edits.replace("|", "\\|") or cell(visit.run, animal), cell(visit.document, animal)


def is_recognised(animal: Animal, visit: Visit, program: str = "weir-io") -> bool:
    """A control has no finding; an animal has one of its rules on its access, or lacks its evidence."""
    rules = (animal.ior or animal.rules) if program == "ior" else animal.rules
    rows = found(visit.run, animal.access)
    names = {name for _, reasons, notes in rows for name in (*reasons, *notes)}
    missing = {name for row in _of(visit.run, animal) for name in (row["missing"] or "").split(";")}
    if rules == (EDIT,):
        return "records.csv" in visit.edits
    if not rules:
        return bool(rows) and all(verdict == "VALID" for verdict, _, _ in rows)
    return bool((names | missing) & set(rules))


def kept_lines() -> dict[str, str]:
    """The rows of the page, by animal."""
    rows = [line for line in PAGE.read_text().splitlines() if line.count(" | ") == _COLUMNS - 1]
    return {line.split(" | ")[0].removeprefix("| "): line for line in rows}


def write_composed() -> None:
    """The last section of the page, from the results of composed cases."""
    text = PAGE.read_text().partition(f"\n{TITLE}\n")[0].rstrip("\n")
    PAGE.write_text("\n".join([text, *section(read_lines())]) + "\n")


def main() -> int:
    lines, missed, absent = kept_lines(), [], dict(ABSENT)
    ior = Path(os.environ["IOR"]) if os.environ.get("IOR") else None
    only = [name.strip() for name in os.environ.get("ONLY", "").split(",") if name.strip()]
    visited = 0
    with tempfile.TemporaryDirectory(prefix="weir-zoo-") as folder, Keeper(Path(folder), ior) as keeper:
        for animal in (*CONTROLS, *ANIMALS):
            if only and animal.name not in only:
                continue
            lines.pop(animal.name, None)
            cells = []
            try:
                for program in keeper.programs:
                    if program not in animal.programs:
                        cells.append((_NOT_FOOLED, _NOT_FOOLED))
                        continue
                    visit = keeper.visit(animal, program)
                    cells.append(columns(animal, visit))
                    if not is_recognised(animal, visit, program):
                        missed.append(f"{animal.name} ({program})")
            except CannotStageError as error:
                absent[animal.name] = str(error)
                continue
            runs, imports = zip(*cells, strict=True)
            parts = [*runs, *([_NO_IOR] * (2 - len(runs))), *imports, *([_NO_IOR] * (2 - len(runs)))]
            shown = f"| {animal.name} | {animal.what} | {animal.access} | {' | '.join(parts)} |"
            lines[animal.name] = shown
            visited += 1
            print(shown, flush=True)
    if ior:
        shown_rows = [lines[animal.name] for animal in (*CONTROLS, *ANIMALS) if animal.name in lines]
        rows = [f"| {name} | {why} |" for name, why in absent.items()]
        blind = [f"- **{name}**: {why}." for name, why in BLIND.items()]
        parts = [
            *_HEAD.splitlines(),
            *shown_rows,
            *_ABSENT_HEAD.splitlines(),
            *rows,
            *_BLIND_HEAD.splitlines(),
        ]
        PAGE.write_text("\n".join([*parts, *blind]) + "\n")
        write_composed()
    else:
        print(f"{PAGE} stays as it is: IOR=PATH names the real IOR")
    print(f"not recognised: {', '.join(missed)}" if missed else f"{visited} recognised")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
