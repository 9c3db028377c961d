"""Stages a composed case with what the zoo has, and reads what weir reports about it."""

import contextlib
import io
import shutil
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.zoo.animals import Animal
from tests.zoo.composed.records import AFTER, BEFORE, TWO_ROUNDS
from tests.zoo.composed.truth import FALSE, HONEST, Case, truth
from tests.zoo.keeper import Keeper, found
from weir.cli import main as weir_main
from weir.collect.table import read_records

# True of a machine that does other things meanwhile, or that moves 128 MiB in less than 0.1 s.
OF_THE_MACHINE = frozenset({"machine-busy", "others-on-device", "neighbours", "phase-too-short", "slow-rank"})
RIGHT, MISSED, ALARM, NOISE, UNPROVEN = "right", "missed", "false alarm", "machine", "unproven"
_EDITED = "edited after it was collected"
_REFUSED = "refused"
_ATTEMPTS = 3
_NOTED = ":note"  # by how much another user of the disk slows a run is a matter of degree


@dataclass(frozen=True)
class Judged:
    """One access of a case: what is true, what weir reports, and whether that is right."""

    access: str
    truth: str
    verdict: str
    findings: tuple[str, ...]
    missing: str
    staged: frozenset[str] = frozenset()  # rules about the machine, of what it was made to do

    @property
    def outcome(self) -> str:
        """Findings about what else the machine did decide nothing: a false record needs another one."""
        others = OF_THE_MACHINE - self.staged
        own = [name for name in self.findings if name.removesuffix(_NOTED) not in others]
        if self.truth == FALSE:
            return RIGHT if own or self.missing else MISSED
        if self.truth == HONEST and own:
            return ALARM
        if self.truth == HONEST and self.missing:
            return UNPROVEN
        return NOISE if self.truth == HONEST and self.findings else RIGHT


def animal_of(case: Case) -> Animal:
    first = next((one for one in case.values if one.preload), case.library)
    return Animal(
        name=f"case {case.number}",
        what="",
        access="",
        rules=(),
        preload=first.preload,
        library=case.library.library,
        target=case.file_system.target,
        suite=case.suite.name,
        beside=tuple(one.beside for one in case.values if one.beside),
    )


class Composer(Keeper):
    """Its keeper."""

    case: Case

    def judge(self, case: Case) -> list[Judged]:
        """Of every access; again where somebody emptied the page cache meanwhile: what should come from it
        then comes from the disk."""
        self.case = case
        home = self.folder / f"case-{case.number}"
        for _ in range(_ATTEMPTS):
            before = _cache_drops()
            try:
                judged = self._judge(home)
            finally:
                shutil.rmtree(home, ignore_errors=True)
            if _cache_drops() == before:
                break
        return judged

    def after_run(self, animal: Animal, home: Path) -> None:
        change = BEFORE.get(self.case.record.name)
        if self.case.record.name in TWO_ROUNDS:
            file = home / f"config/suites/{animal.suite}.yaml"
            content = yaml.safe_load(file.read_text())
            content["experiments"]["one"]["repetitions"] = {"rounds": 2}
            file.write_text(yaml.safe_dump(content))
            self.plan(animal, home)
        if change:
            change(home)

    def _judge(self, home: Path) -> list[Judged]:
        animal, case = animal_of(self.case), self.case
        edited: tuple[str, ...] = ()
        try:
            self.measure(animal, case.program.name, home)
        except RuntimeError:
            if case.record.name not in BEFORE:
                raise
            return [
                Judged(access, truth(case, access), _REFUSED, (_REFUSED,), "")
                for access in case.suite.accesses
            ]
        records = home / "records.csv"
        if case.record.name in AFTER:
            AFTER[case.record.name](home)
            edited = ("edited",) if _is_shown_as_edited(records) else ()
        rows = read_records(records)
        judged = []
        for access in case.suite.accesses:
            verdicts = found(rows, access)
            findings = sorted({name for _, reasons, _ in verdicts for name in reasons})
            notes = {name for _, _, notes in verdicts for name in notes if name in case.findings}
            findings += [f"{name}{_NOTED}" for name in sorted(notes.difference(findings))]
            missing = sorted({row["missing"] or "" for row in rows if row["access"] == access})
            shown = ";".join(sorted({verdict for verdict, _, _ in verdicts})) or "no record"
            lacks = missing[-1] if missing else ""
            judged.append(
                Judged(access, truth(case, access), shown, (*findings, *edited), lacks, case.findings)
            )
        return judged


def _cache_drops() -> str:
    """How often the page cache of this machine was emptied (vm.drop_caches), by the kernel's own count."""
    lines = Path("/proc/vmstat").read_text().splitlines()
    return next((line for line in lines if line.startswith("drop_pagecache ")), "")


def _is_shown_as_edited(records: Path) -> bool:
    """As a reader sees it."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        weir_main(["audit", str(records)])
    return _EDITED in printed.getvalue()
