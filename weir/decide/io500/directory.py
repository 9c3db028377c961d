"""A published result directory: its summary, its result.txt, and the job size that the logs print.

The hash of the configuration in result.txt is computed again from the config.ini beside it. IO500 hashes
every option that has a value, section names apart. Its config.ini has all of them, defaults included; one
without a value is in the hash only where its default is an empty text. Of 193 published result directories of
the C application (2020 to 2025) 182 agree. In 10 config.ini is the submitter's own file, and no file has the
defaults that it lacks; in 1 it was edited.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from weir.base.errors import InputError, WeirError
from weir.base.files import printable
from weir.decide.io500.result import (
    CONFIGURATION,
    PHASES,
    TOLERANCE,
    ConfigHash,
    Io500Result,
    ReadBack,
    hash_of,
    relative,
)
from weir.decide.io500.result_files import is_ini, is_summary, read_ini, read_summary, summaries_in
from weir.records.model import Parsed, Row
from weir.tools import tools
from weir.tools.outputs import read_text

# Messages of IOR where it reads something else than was written.
_DIFFERS = re.compile(r"incorrect data|verifying the data", re.IGNORECASE)


@dataclass
class Job:
    """The facts of the job; a field is None or absent where the logs do not contain it.

    stonewall_s: by phase; 0 is a run without a stonewall. io_s: of the phases of IOR, from the first transfer
    to the last one on all nodes. refused: logs that cannot be read, with the reason. best_of: iterations of a
    phase of IOR, where there are several: IO500 takes the best.
    """

    nodes: int | None = None
    tasks: int | None = None
    stonewall_s: dict[str, float] = field(default_factory=dict)
    io_s: dict[str, float] = field(default_factory=dict)
    refused: dict[Path, str] = field(default_factory=dict)
    best_of: dict[str, int] = field(default_factory=dict)
    read_back: dict[str, ReadBack] = field(default_factory=dict)


def read_all(files: Iterable[Path]) -> tuple[dict[Path, str], dict[Path, str]]:
    """Texts; and the files that cannot be read, with the reason."""
    texts: dict[Path, str] = {}
    refused: dict[Path, str] = {}
    for file in files:
        try:
            texts[file] = read_text(file)
        except OSError as error:
            refused[file] = error.strerror or str(error)
        except WeirError as error:
            refused[file] = error.problems[0].message
    return texts, refused


def read_logs(folder: Path) -> Job:
    """Reads the logs of the phases, in the order in which they ran."""
    job = Job()
    for name, unit in PHASES.items():
        tool = tools().get(name.partition("_")[0])
        if tool is None or not (name.endswith("_write") or unit == "GiB/s"):
            continue
        texts, unreadable = read_all(sorted(folder.glob(f"{name.replace('_', '[-_]')}.txt")))
        job.refused |= unreadable
        for run in (run for text in texts.values() for run in tool.parse_log(text)):
            job.nodes = job.nodes or run.requested.get("nodes")
            job.tasks = job.tasks or run.requested.get("tasks")
            if run.requested.get("stonewall") is not None:
                job.stonewall_s[name] = run.requested["stonewall"]
            if unit == "GiB/s" and name.endswith("_read"):
                job.read_back[name] = _read_back(run)
            if unit == "GiB/s" and (timed := _timed(run.rows, name)):
                job.io_s[name] = max(timed)[1]
                job.best_of |= {name: len(timed)} if len(timed) > 1 else {}
    return job


def _timed(rows: Iterable[Row], name: str) -> list[tuple[float, float]]:
    """Bandwidth and time of each iteration of a phase."""
    access = name.rpartition("_")[2]
    numbers = [(row["bw_mib_s"], row["io_s"]) for row in rows if row["access"] == access]
    return [(rate, io_s) for rate, io_s in numbers if isinstance(rate, float) and isinstance(io_s, float)]


def _read_back(run: Parsed) -> ReadBack:
    """Tasks are shifted by nodes (-C), and what is read is compared (-R); IOR prints what differs."""
    requested = run.requested
    if requested.get("nodes") in (None, 1):
        return ReadBack(None, "the number of nodes is not printed, or is 1")
    if requested.get("reorder", "none") == "none":
        return ReadBack(None, "tasks may read what their own node wrote (no -C)")
    if not requested.get("verify_read"):
        return ReadBack(None, "what was read is not compared (no -R)")
    if errors := [one.text for one in run.messages if one.level == "error"]:
        return ReadBack(False if _DIFFERS.search(" ".join(errors)) else None, errors[0])
    return ReadBack(True, "read by another node (-C) and compared (-R)")


# Logs of single phases are not results, and can be large.
_LOG_PREFIXES = tuple({name.partition("_")[0] for name in PHASES})
_ROUNDED_S, _SKEW = 0.1, 0.01
_LARGEST_FILE_BYTES = 4 * 2**20
_HINT = "an IO500 run writes result_summary.txt, and result.txt since 2020"
_READERS: Mapping[str, tuple[Callable[[str], bool], Callable[[str, Path], Io500Result]]] = {
    "result_summary.txt": (is_summary, read_summary),
    "result.txt": (is_ini, read_ini),
}


def read_directory(folder: Path) -> Io500Result:
    """Files are recognised by content; where both exist, result.txt adds what the summary lacks."""
    if not folder.is_dir():
        hint = f"name the directory that holds it: {_HINT}" if folder.is_file() else _HINT
        raise InputError("is not a directory", file=folder, hint=hint)
    texts, refused = _texts(folder)
    summary, ini = _of_one_run(folder, texts)
    result = _joined(summary, ini) if summary and ini else summary or ini
    if result is None:
        message = "; ".join(["contains no IO500 result", *_not_read(refused)])
        hint = f"{_HINT}; weir import DIR reads all results below a directory"
        raise InputError(message, file=folder, hint=hint)
    if printed := result.config_hash:
        checked = checked_config(folder, printed.printed, ini.version if ini else "")
        result = replace(result, config_hash=checked, external_find=external_find(folder))
    job = read_logs(folder)
    notes = (*result.notes, *_not_read({**refused, **job.refused}), *_clocks(result, job), *_iterated(job))
    return _with_logs(replace(result, label=_label(folder), notes=notes), job)


def read_file(file: Path) -> list[Io500Result]:
    """The results in one file; several in a page or an output that has the summaries of several runs."""
    texts, _ = read_all([file] if file.is_file() else [])
    for text in texts.values():
        for fits, read in _READERS.values():
            if fits(text):
                found = [read(part, file) for part in (summaries_in(text) if fits is is_summary else [text])]
                label = _label(file.parent)
                if len(found) == 1:
                    return [replace(found[0], label=label)]
                return [replace(one, label=f"{label}#{number}") for number, one in enumerate(found, 1)]
    return []


def _label(folder: Path) -> str:
    return printable(folder.resolve().name)


def results_in(folder: Path) -> list[Path]:
    """The files in it that are a summary or a result.txt, by content."""
    texts, _ = _texts(folder)
    return [file for file, text in texts.items() if any(fits(text) for fits, _ in _READERS.values())]


def is_usual(file: Path) -> bool:
    """Whether IO500 writes a file of this name."""
    return file.name in _READERS


def _not_read(refused: Mapping[Path, str]) -> list[str]:
    return [f"{file.name} cannot be read: {reason}" for file, reason in refused.items()]


def _clocks(result: Io500Result, job: Job) -> Iterator[str]:
    """IO500 times a phase on one node; IOR from the first transfer to the last one on all nodes."""
    longer = []
    for name, io_s in job.io_s.items():
        time_s = result.phases[name].time_s if name in result.phases else None
        if time_s and io_s - time_s > max(_ROUNDED_S, _SKEW * time_s):
            longer.append(f"{name} ({io_s:,.1f} s, {time_s:,.1f} s)")
    if longer:
        yield (
            "the clocks of the nodes differ: transfers lasted longer in the log than their phase, "
            f"{', '.join(longer)}, and the rate is that of the log"
        )


def _iterated(job: Job) -> Iterator[str]:
    if job.best_of:
        phases = ", ".join(f"{name} the best of {count}" for name, count in job.best_of.items())
        yield f"the logs have several iterations: {phases}"


def _texts(folder: Path) -> tuple[dict[Path, str], dict[Path, str]]:
    """The files that may be a result; and those that cannot be read, with the reason."""
    return read_all(file for file in sorted(folder.iterdir()) if _may_be_result(file))


def _may_be_result(file: Path) -> bool:
    name = file.name.lower()
    return file.is_file() and not name.startswith(_LOG_PREFIXES) and file.stat().st_size < _LARGEST_FILE_BYTES


def _of_one_run(folder: Path, texts: Mapping[Path, str]) -> list[Io500Result | None]:
    """The summary and the result.txt of the run of the directory. Beside them there may be what a scheduler
    kept of several runs: the file of a usual name decides which run it is."""
    found: dict[str, Io500Result | None] = {}
    named = [usual for usual, (fits, _) in _READERS.items() if fits(texts.get(folder / usual, ""))]
    for usual in sorted(_READERS, key=lambda usual: usual not in named):
        found[usual] = _only(folder, texts, usual, next(filter(None, found.values()), None))
    return [found[usual] for usual in _READERS]


def _only(
    folder: Path, texts: Mapping[Path, str], usual: str, like: Io500Result | None
) -> Io500Result | None:
    """The file of the usual name if it fits, else the only run that does, which is that of the other file."""
    fits, read = _READERS[usual]
    fitting = [file for file, text in texts.items() if fits(text)]
    if folder / usual in fitting:
        return read(texts[folder / usual], folder / usual)
    results = [read(texts[file], file) for file in fitting]
    chosen = distinct_runs(one for one in results if like is None or is_same_run(one, like))
    if len(chosen) > 1:
        names = [file.name for file in fitting]
        raise InputError(
            f"contains several results: {', '.join(names)}",
            file=folder,
            hint=f"name the file of the run {usual}, or keep one run in a directory",
        )
    return chosen[0] if chosen else None


def is_same_run(one: Io500Result, other: Io500Result) -> bool:
    """Whether two files hold results of one run, as its summary and what a scheduler kept of it do."""
    shared = [(phase, other.phases[name]) for name, phase in one.phases.items() if name in other.phases]
    return bool(shared) and all(
        abs(first.value - second.value) <= first.half_step + second.half_step + TOLERANCE * second.value
        for first, second in shared
    )


def distinct_runs(results: Iterable[Io500Result]) -> list[Io500Result]:
    """The result with the most phases of each run, in the order of the files."""
    kept: list[Io500Result] = []
    for one in sorted(results, key=lambda one: (-len(one.phases), one.source)):
        if not any(is_same_run(one, other) for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.source)


def _joined(summary: Io500Result, ini: Io500Result) -> Io500Result:
    phases = {**summary.phases}
    for name, other in ini.phases.items():
        phase = phases.setdefault(name, other)
        invalid = phase.marked_invalid or other.marked_invalid
        phases[name] = replace(
            phase, stonewall_s=other.stonewall_s, marked_invalid=invalid, columns=other.columns
        )
    differing = [
        name
        for name, phase in summary.phases.items()
        if name in ini.phases and abs(relative(ini.phases[name].value, phase.value)) > TOLERANCE
    ]
    notes = (f"{summary.source.name} and {ini.source.name} differ in {', '.join(differing)}",)
    return replace(
        summary,
        phases=phases,
        published=summary.published or ini.published,
        version=summary.version or ini.version,
        procs=ini.procs,
        score_hash=ini.score_hash,
        config_hash=ini.config_hash,
        notes=notes if differing else (),
    )


def _with_logs(result: Io500Result, job: Job) -> Io500Result:
    """The logs add what the result files do not print."""
    phases = {**result.phases}
    for name, stonewall_s in job.stonewall_s.items():
        if name in phases and phases[name].stonewall_s is None:
            phases[name] = replace(phases[name], stonewall_s=stonewall_s)
    return replace(
        result, phases=phases, nodes=job.nodes, procs=result.procs or job.tasks, read_back=job.read_back
    )


# Options whose default is an empty text, in all versions to this day.
_EMPTY_DEFAULTS = ("external-mpi-args", "external-extra-args")
_SECTION = re.compile(r"\[([\w-]+)\]")
_OPTION = re.compile(r"([\w.-]+) = (.*)")
# Versions of which published directories agree; a build outside of a repository prints none.
_SHOWN = re.compile(r"(io500-(isc|sc)2[0-5]\S*)?")


def checked_config(folder: Path, printed: str, version: str) -> ConfigHash:
    """The hash that result.txt prints, beside that of the directory's config.ini."""
    file = folder / CONFIGURATION
    if not file.is_file():
        return ConfigHash(printed, because=f"the directory has no {CONFIGURATION}")
    try:
        text = read_text(file)
    except (OSError, WeirError) as error:
        return ConfigHash(printed, because=f"{CONFIGURATION} cannot be read: {error}")
    computed = f"{hash_of(_hashed(text)):X}"
    if computed == printed.upper().lstrip("0"):
        return ConfigHash(printed, computed, agrees=True)
    if why_not := _not_decided(text, version):
        return ConfigHash(printed, because=why_not)
    because = f"{CONFIGURATION} was edited after the run, or a changed IO500 wrote it"
    return ConfigHash(printed, computed, agrees=False, because=because)


def external_find(folder: Path) -> str | None:
    """The program of the search that config.ini names: empty for that of IO500, nothing without a line."""
    try:
        text = read_text(folder / CONFIGURATION)
    except (OSError, WeirError):
        return None
    section = ""
    for line in text.splitlines():
        if found := _SECTION.fullmatch(line):
            section = found[1]
        elif section == "find" and line.startswith("external-script ="):
            return line.partition("=")[2].strip()
    return None


def _hashed(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        option = _OPTION.fullmatch(line)
        if option and (option[2] or option[1] in _EMPTY_DEFAULTS):
            yield option[1], option[2]


def _not_decided(text: str, version: str) -> str:
    """Why another hash tells nothing: the file is not as IO500 writes it, or the version is not known."""
    own = f"{CONFIGURATION} is not the one that IO500 writes"
    sections = set(_SECTION.findall(text))
    missing = [name.replace("_", "-") for name in PHASES if name.replace("_", "-") not in sections]
    if missing:
        return f"{own} (no section {missing[0]}), and no file has the defaults that are in the hash"
    for number, line in enumerate(text.splitlines(), 1):
        option = _OPTION.fullmatch(line)
        if line and not option and not _SECTION.fullmatch(line):
            return f"{own} (line {number}), and no file has what it changed"
        if option and option[2] != option[2].strip():
            return f"{own} (blanks at the end of line {number}), and no file has what it changed"
    if not text.isascii():
        return "processors differ in the hash of letters beyond ASCII"
    name = version.partition("(")[0].strip()
    return "" if _SHOWN.fullmatch(name) else f"no published directory shows how version {name} hashes it"
