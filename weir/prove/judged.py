"""Each access of each phase on each mount, judged."""

from __future__ import annotations

from collections.abc import Sequence

from weir.audit.judge import judge_all
from weir.audit.subject import Subject
from weir.prove.fetched import with_what_reads_fetched
from weir.prove.killed import Process
from weir.prove.mounts import Mount
from weir.prove.records import LEAST_BYTES, MOVED, Judged, facts_of, row_of


def judged_mounts(
    mounts: Sequence[Mount], processes: Sequence[Process], command: Sequence[str]
) -> list[Judged]:
    """Records of all that is worth one."""
    found = []
    for mount in mounts:
        counters = dict.fromkeys(MOVED, 0)
        for phase in mount.phases:
            for access, name in MOVED.items():
                if getattr(phase, name) >= LEAST_BYTES:
                    row = row_of(mount, access, [phase], command) | {"iteration": counters[access]}
                    counters[access] += 1
                    facts = facts_of(mount, access, [phase], processes) | {"of_calls": True}
                    subject = with_what_reads_fetched(Subject(row, facts), [phase])
                    found.append((mount, access, [phase], subject))
    judgements = judge_all([subject for *_, subject in found])
    return [
        Judged(subject, judgement, mount, access, phases)
        for (mount, access, phases, subject), judgement in zip(found, judgements, strict=True)
    ]
