"""weir prove: what I/O a program really did, and which of it can be believed."""

import argparse
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from weir.audit.judge import UNPROVEN, VERDICTS
from weir.base.errors import InputError, WeirError
from weir.base.files import as_json
from weir.base.options import Parser
from weir.collect.imported_files import unread_form
from weir.collect.table import write_records
from weir.decide.io500.proven import (
    ProvenRun,
    WatchedRun,
    proven_facts,
    proven_lines,
    proven_run,
    watched_run,
)
from weir.decide.io500.proven import headline as io500_headline
from weir.measure.clean_up.directories import own_folder
from weir.prove.attach import attach, attached_facts, attached_lines
from weir.prove.claims import judged_claims
from weir.prove.darshan import read_log
from weir.prove.judged import doubts, judged_mounts, with_others, without_reports
from weir.prove.logged import judged_claims as judged_claims_of_log
from weir.prove.logged import logged_claims, logged_facts, logged_lines, moved_in
from weir.prove.mounts import mounts_of
from weir.prove.output import claim_lines, headline, hint_lines
from weir.prove.records import JudgedRecord, JudgedRow, watched_paths
from weir.prove.reports import read_reports, unreported_bytes
from weir.prove.results import Claim, claims_in, expected, hint_of_expect, results_in_files
from weir.prove.seen import Seen, facts_of_all, of_program, seen_lines, unseen_lines
from weir.prove.start import run_program
from weir.tools.outputs import read_text

NAME = "prove"
GROUP = "prove"
HELP = "run any program and tell what I/O it really did, and which of it can be believed"
EXAMPLE = "weir prove -- rsync -a input/ /scratch/input/"
EXIT_NOT_PROVEN = 3
_MEMORY, _PREFIX = Path("/dev/shm"), "weir-prove-"
_GRAIN_S = 0.01  # resolution of the times of files


def add_arguments(parser: Parser) -> None:
    parser.path("--on", "PATH", "count only what is below this directory (default: all mounts)")
    parser.path("--json", "FILE", "write all that was seen as JSON")
    parser.repeated(
        "--expect", "CLAIM", "judge a number that somebody claims, such as 'write 3.2 GiB/s'; may be repeated"
    )
    parser.repeated(
        "--output",
        "FILE",
        "a file into which the program prints its results, if not to its outputs",
        type=Path,
    )
    parser.path("--records", "FILE", "write the judged phases as records.csv")
    parser.add_argument(
        "--fail-on",
        choices=[verdict.lower() for verdict in VERDICTS[1:]],
        help=f"exit code {EXIT_NOT_PROVEN} where the verdict of a claim (of a phase, if nothing is "
        "claimed) is this or worse; else that of the program",
    )
    parser.path(
        "--reports",
        "DIR",
        "where the processes leave what they counted (default: memory of this node); a program on "
        "several nodes needs a directory that all of them have, and not one that is measured",
    )
    parser.value(
        "--attach",
        "PID",
        "watch a process that runs already, and all that it starts, until it ends or Ctrl-C: by the "
        "kernel's counters alone, without verdicts; takes --on, --json and --reports",
        type=int,
    )
    parser.path(
        "--darshan",
        "LOG",
        "tell and judge what a log of Darshan has, by its calls alone; takes --on, --json, --expect, "
        "--output, --records and --fail-on",
    )
    parser.value("arguments", "-- COMMAND", "the program", nargs=argparse.REMAINDER)


def execute(args: argparse.Namespace) -> int:
    command = args.arguments[1:] if args.arguments[:1] == ["--"] else args.arguments
    if args.on is not None and not args.on.exists():
        raise InputError("does not exist", key="--on", value=str(args.on), hint="name a directory or a file")
    parent: Path | None = args.reports
    if args.darshan is not None:
        return _of_a_log(args, command)
    if args.attach is not None:
        return _attached(args, command, parent)
    if not command:
        raise InputError("no program is named", hint=f"such as: {EXAMPLE}")
    claims = [expected(text) for text in args.expect]
    began = datetime.now(UTC).isoformat(timespec="microseconds")
    with _folder(parent) as folder:
        watched = [Path(path) for path in watched_paths(command, [str(args.on)] if args.on else [])]
        began_s = time.time() - _GRAIN_S
        ended = run_program(command, folder, args.on, watched)
        processes, damaged = read_reports(folder)
    mounts = with_others(mounts_of(processes, ended.held))
    judged = judged_mounts(mounts, processes, command)
    output = "\n".join([ended.output, *_texts(args.output)])
    run, hints = _io500(output)
    printed = claims_in(output)
    if not (run or hints or printed):
        printed, hints = _elsewhere(command, began_s, output)
    found = [*claims, *printed, *(run.claims.values() if run else ())]
    unreported = unreported_bytes(ended.io, of_program(processes))
    claimed = judged_claims(found, mounts, processes, command, unreported)
    contradictions = doubts(processes, ended.io)
    if contradictions:
        judged = [without_reports(one, contradictions[0]) for one in judged]
        claimed = [(claim, one and without_reports(one, contradictions[0])) for claim, one in claimed]
    seen = Seen(command, ended, processes, damaged, mounts, judged, claimed, contradictions)
    proven = proven_run(run, [one for _, one in claimed[len(found) - len(run.claims) :]]) if run else None
    _print(seen, proven, hints if found else [*hints, *_to_expect(output, judged)])
    if args.json:
        facts = facts_of_all(seen) | ({"io500": proven_facts(proven)} if proven else {})
        args.json.write_text(as_json(facts) + "\n", encoding="utf-8")
    if args.records:
        placed = [one for _, one in claimed if one is not None]
        write_records(args.records, [one.row | {"began": began} for one in (*judged, *placed)])
    return _exit_code(args, seen)


@contextlib.contextmanager
def _folder(parent: Path | None) -> Iterator[Path]:
    """The folder of the reports: of this machine, in memory, unless it is to be where other nodes see it."""
    if parent is not None:
        with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=parent) as made:
            yield Path(made)
        return
    with own_folder(_MEMORY if os.access(_MEMORY, os.W_OK) else Path(tempfile.gettempdir()), _PREFIX) as own:
        yield own


def _io500(output: str) -> tuple[WatchedRun | None, list[str]]:
    """The IO500 run that the output tells of, or why it is not judged."""
    try:
        return watched_run(output), []
    except WeirError as error:
        return None, [f"not judged: IO500: {error.problems[0].message}"]


def _elsewhere(command: Sequence[str], since_s: float, output: str) -> tuple[list[Claim], list[str]]:
    """The results that a program left in a file, with lines about what is not read."""
    found, lines = results_in_files(command, since_s)
    form = unread_form(output)
    return found, [*([f"not judged: its output is {form}"] if form else []), *lines]


def _to_expect(output: str, judged: Sequence[JudgedRecord]) -> list[str]:
    """The hint at --expect, where nothing is claimed."""
    rates = {one.access: float(one.row["bw_mib_s"]) for one in judged if one.row["bw_mib_s"]}
    hint = hint_of_expect(output, rates)
    return [hint] if hint else []


def _of_a_log(args: argparse.Namespace, command: list[str]) -> int:
    """Judge a program by its Darshan log, whenever it ran."""
    names = {"-- COMMAND": command, "--attach": args.attach, "--reports": args.reports}
    _refuse("--darshan", "a log tells of a program that has ended", names)
    claims = [expected(text) for text in args.expect]
    log = read_log(args.darshan)
    moved = moved_in(log, args.on)
    claimed = judged_claims_of_log([*claims, *claims_in("\n".join(_texts(args.output)))], log, moved)
    judged: Sequence[JudgedRow | None] = [one for _, one in claimed] or [one.judged for one in moved]
    lines = [*logged_lines(log, moved, args.on), *logged_claims(claimed), *hint_lines(judged)]
    print("\n".join(lines), file=sys.stderr)
    if args.json:
        facts = logged_facts(log, moved, claimed)
        args.json.write_text(as_json(facts) + "\n", encoding="utf-8")
    placed = [one for _, one in claimed if one is not None]
    if args.records:
        write_records(args.records, [one.row for one in (*(one.judged for one in moved), *placed)])
    return EXIT_NOT_PROVEN if args.fail_on and _is_worse(judged, args.fail_on) else 0


def _refuse(option: str, why: str, names: dict[str, Any]) -> None:
    for name, value in names.items():
        if value:
            raise InputError(f"does not go with {option}", key=name, hint=why)


def _attached(args: argparse.Namespace, command: list[str], parent: Path | None) -> int:
    """Report what is counted outside of a process that is already running."""
    names = {"--expect": args.expect, "--records": args.records, "--fail-on": args.fail_on}
    names |= {"--output": args.output, "-- COMMAND": command}
    _refuse("--attach", "without calls nothing is judged: give it to a program that weir prove starts", names)
    with _folder(parent) as folder:
        seen = attach(args.attach, folder, args.on, _begun)
        mounts = mounts_of(read_reports(folder)[0])
    print("\n".join(attached_lines(seen, mounts)), file=sys.stderr)
    if args.json:
        args.json.write_text(as_json(attached_facts(seen, mounts)) + "\n", encoding="utf-8")
    return 0


def _begun(program: str) -> None:
    print(f"weir prove: {program} is watched until it ends, or until Ctrl-C", file=sys.stderr, flush=True)


def _texts(files: list[Path]) -> list[str]:
    """The texts of the files that may hold results of the program."""
    return [read_text(file) for file in files if file.is_file()]


def _print(seen: Seen, proven: ProvenRun | None, hints: Sequence[str]) -> None:
    """Prints the report to stderr, because stdout is the program's."""
    judged: Sequence[JudgedRow | None] = [one for _, one in seen.claims] or seen.judged
    found = io500_headline(proven) if proven else headline(judged, "result" if seen.claims else "phase")
    claims = seen.claims[: len(seen.claims) - len(proven.run.claims)] if proven else seen.claims
    lines = [f"weir prove: {found}; exit code {seen.ended.exit_code} after {seen.ended.elapsed_s:.2f} s"]
    lines += seen_lines(seen)
    lines += [*claim_lines(claims), *(proven_lines(proven) if proven else ()), *hint_lines(judged), *hints]
    lines += unseen_lines(seen)
    print("\n".join(lines), file=sys.stderr)


def _exit_code(args: argparse.Namespace, seen: Seen) -> int:
    """I/O of which nothing was seen is unproven."""
    if seen.ended.exit_code != 0 or not args.fail_on:
        return seen.ended.exit_code
    judged: Sequence[JudgedRow | None] = [one for _, one in seen.claims] or seen.judged
    if not judged and seen.unreported:
        judged = [None]
    return EXIT_NOT_PROVEN if _is_worse(judged, args.fail_on) else 0


def _is_worse(judged: Sequence[JudgedRow | None], limit: str) -> bool:
    """Whether one of them is that bad or worse; what nobody counted is unproven."""
    verdicts: list[Any] = [UNPROVEN if one is None else one.judgement.verdict for one in judged]
    return any(VERDICTS.index(verdict) >= VERDICTS.index(limit.upper()) for verdict in verdicts)
