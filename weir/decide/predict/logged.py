"""The I/O that a log of Darshan has, as an application."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from weir.base.errors import WeirError
from weir.base.units import about_size
from weir.decide.predict.application import Application, IoPhase
from weir.prove.darshan import ALL_RANKS, APIS, Log, Place, Use

_LEAST_SHARE = 0.01  # share of the mount's bytes; the description names smaller patterns
_SEQUENTIAL = 0.75  # share of ascending offsets; a random order has 0.5

_Pattern = tuple[str, str, str, str, bool]


def application_in(log: Log, nodes: int, on: Path | None = None) -> Application:
    """The application on one mount. Accesses of one interface, layout, order and kind of call are one phase,
    in the order of their first calls; its bytes are those of all processes, shared among them."""
    if nodes < 1 or log.processes % nodes:
        hint = f"a divisor of {log.processes}"
        raise WeirError("does not fit the log", key="--nodes", value=str(nodes), hint=hint, exit_code=2)
    uses = _of_callers([one for one in log.uses if on is None or one.place == log.place_of(on)])
    place = _place(log, uses, on)
    uses = [one for one in uses if one.place == place]
    patterns: dict[_Pattern, list[Use]] = defaultdict(list)
    layouts = _layouts(log, uses)
    for one in sorted(uses, key=lambda use: use.began_s):
        patterns[_pattern(one, layouts)].append(one)
    total = sum(one.bytes for one in uses)
    kept = {
        key: each for key, each in patterns.items() if sum(one.bytes for one in each) >= _LEAST_SHARE * total
    }
    rest = total - sum(one.bytes for each in kept.values() for one in each)
    return Application(
        name=re.sub(r"[^a-z0-9]+", "-", log.program.lower()).strip("-") or "unknown",
        description=f"{log.program}, {_number(log.processes, 'process', 'processes')} on "
        f"{_number(nodes, 'node', 'nodes')}, {log.elapsed_s:.3g} s; "
        f"{about_size(total)} on {place.point} ({place.file_system})"
        + (f", of which {about_size(rest)} in other patterns are excluded" if rest else ""),
        nodes=nodes,
        ppn=log.processes // nodes,
        phases=tuple(_phase(log, at, key, each) for at, (key, each) in enumerate(kept.items(), 1)),
    )


def _number(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _of_callers(uses: Sequence[Use]) -> list[Use]:
    """The uses that the program called: of a file that MPI-IO moved, not the calls below. It is not known by
    which calls streams of the C library reach the file."""
    through_mpi = {one.file for one in uses if one.api == APIS["MPI-IO"]}
    return [
        one
        for one in uses
        if one.api == APIS["MPI-IO"] or (one.api == APIS["POSIX"] and one.file not in through_mpi)
    ]


def _place(log: Log, uses: Iterable[Use], on: Path | None) -> Place:
    bytes_by_place: Counter[Place] = Counter()
    for one in uses:
        bytes_by_place[one.place] += one.bytes
    if not bytes_by_place:
        where = f" below the mount of {on}" if on else ""
        raise WeirError(
            f"has no transfers by POSIX or MPI-IO{where}",
            file=str(log.file),
            hint="weir prove --darshan tells what it has",
        )
    return bytes_by_place.most_common(1)[0][0]


def _layouts(log: Log, uses: Iterable[Use]) -> dict[int, str]:
    """Layout of each file. A log has one record if all processes used a file, else one per process."""
    ranks: dict[int, set[int]] = defaultdict(set)
    for one in uses:
        ranks[one.file].add(one.rank)
    return {
        file: "shared" if ALL_RANKS in each or len(each) > 1 or log.processes == 1 else "file-per-process"
        for file, each in ranks.items()
    }


def _pattern(use: Use, layouts: dict[int, str]) -> _Pattern:
    steps = max(use.calls - 1, 1)
    is_random = (
        use.sequential_calls is not None and use.calls > 1 and use.sequential_calls < _SEQUENTIAL * steps
    )
    collective = use.collective_calls > use.calls / 2
    return use.access, use.api, layouts[use.file], "random" if is_random else "sequential", collective


def _phase(log: Log, number: int, pattern: _Pattern, uses: Sequence[Use]) -> IoPhase:
    access, api, layout, order, collective = pattern
    size_bytes = max(round(sum(one.bytes for one in uses) / log.processes), 1)
    return IoPhase(
        name=f"{access}-{number}",
        access=access,
        api=api,
        layout=layout,
        order=order,
        collective=collective,
        xfer_bytes=min(_transfer_bytes(uses), size_bytes),
        size_bytes=size_bytes,
        repeat=1,
        compute_s=0.0,
        measured_as=access,
    )


def _transfer_bytes(uses: Sequence[Use]) -> int:
    """The size of those calls that moved most, if the log has it; else the mean."""
    moved: Counter[int] = Counter()
    for one in uses:
        for size, calls in one.sizes.items():
            moved[size] += size * calls
    if moved:
        return moved.most_common(1)[0][0]
    return max(sum(one.bytes for one in uses) // max(sum(one.calls for one in uses), 1), 1)
