"""The campaign that a contract names: each of its rounds counts, whichever line it is about.

Without one, whoever measures may repeat a campaign until it is good, or begin the ledger anew. The parties
name the study and its dates before, and write down the head of the ledger when it ends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from weir.base.errors import WeirError
from weir.decide.accept.contract import NamedCampaign
from weir.decide.accept.evidence import Measured
from weir.decide.compare.sides import records_file
from weir.records.rounds import CLOCK, OLDER, REPEATED, Finding
from weir.runs.files import RUN_FILE, file_sha256, run_folder
from weir.runs.ledger import LEDGER, Entry, Ledger, read_ledger

NOT_AGREED = "not as agreed"
_SHOWN = 12  # digits of a digest in a message


def of_campaign(campaign: NamedCampaign | None, measured: Measured) -> Measured:
    """The study, with what does not agree with the campaign as findings of every line."""
    if campaign is None:
        return measured
    if measured.lacks:
        raise WeirError(
            f"cannot be the campaign of the contract: {'; '.join(measured.lacks)}",
            file=str(measured.path),
            hint="a contract that names its campaign needs the plan, ledger and checksums of its study",
            exit_code=2,
        )
    study = records_file(measured.path).resolve().parent
    ledger = read_ledger(study.parent / LEDGER) or Ledger((), ())
    cells = {*measured.rounds.planned, *measured.cells}
    found = (*_Agreed(campaign, study, ledger, cells).findings(), *_rounds(measured))
    rounds = replace(measured.rounds, findings=found)
    return replace(measured, rounds=rounds, campaign=_text(campaign, ledger))


def _text(campaign: NamedCampaign, ledger: Ledger) -> str:
    """The text about the campaign on the first page."""
    if campaign.ledger_after is None:
        known = "no head of the ledger: whoever measured may have written it anew"
    elif campaign.ledger_after in ledger.heads:
        known = f"the head of its ledger, that of line {ledger.heads.index(campaign.ledger_after)}"
    else:
        known = "a head that this ledger does not have"
    return f"Campaign: the contract names {campaign.text}, and {known}."


def _rounds(measured: Measured) -> Iterator[Finding]:
    """The findings about the rounds, repetitions included."""
    for one in measured.rounds.findings:
        if one.kind != OLDER:
            kind = NOT_AGREED if one.kind in (REPEATED, CLOCK) else one.kind
            yield replace(one, kind=kind)


@dataclass(frozen=True)
class _Agreed:
    """A campaign and the ledger of the directory that the study lies in."""

    campaign: NamedCampaign
    study: Path
    ledger: Ledger
    cells: set[str]  # of the study

    def findings(self) -> Iterator[Finding]:
        wanted = Path(self.campaign.study).parts
        if self.study.parts[-len(wanted) :] != wanted:
            is_now = "/".join(self.study.parts[-len(wanted) :])
            yield Finding(NOT_AGREED, f"the contract names the study {self.campaign.study}, this is {is_now}")
        last = self._last_line()
        if last is None:
            digest = str(self.campaign.ledger_after)[:_SHOWN]
            text = f"no line of {LEDGER} has the digest {digest}… of the contract"
            yield Finding(NOT_AGREED, f"{text}: it was written anew, cut or copied")
        ends: dict[tuple[str, int], list[Entry]] = defaultdict(list)
        for entry in self.ledger.entries:
            ends[entry.cell, entry.run].append(entry)
        for (cell, _), entries in ends.items():
            if cell in self.cells:
                yield from self._of_round(entries, last)
            else:
                yield from self._of_another_study(entries[-1])

    def _last_line(self) -> int | None:
        """Index of the ledger line that the contract names, else of the last; None: the ledger lacks it."""
        if self.campaign.ledger_after is None:
            return len(self.ledger.heads) - 1
        known = self.campaign.ledger_after in self.ledger.heads
        return self.ledger.heads.index(self.campaign.ledger_after) if known else None

    def _of_round(self, entries: list[Entry], last: int | None) -> Iterator[Finding]:
        for entry in entries:
            ended = _time(entry.ended)
            where = f"line {entry.line} of {LEDGER}"
            if last is not None and entry.line > last:
                text = f"it ended after the campaign, of which line {last} is the last ({where})"
                yield Finding(NOT_AGREED, text, entry.cell, entry.run)
            elif not self.campaign.not_before <= ended <= self.campaign.not_after:
                text = f"it ended at {ended:%Y-%m-%d %H:%M} UTC, outside of the dates ({where})"
                yield Finding(NOT_AGREED, text, entry.cell, entry.run)

    def _of_another_study(self, entry: Entry) -> Iterator[Finding]:
        """A cell that was taken out of the plan may be a cell that was dropped: its runs have to be there."""
        file = run_folder(self.study.parent, entry.cell, entry.run) / RUN_FILE
        if not file.is_file() or file_sha256(file) != entry.sha256:
            text = f"it is in no plan, and its run.json is not that of line {entry.line} of {LEDGER}"
            yield Finding(NOT_AGREED, text, entry.cell, entry.run)


def _time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)
