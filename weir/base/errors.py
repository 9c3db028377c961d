"""Errors for people: what is wrong where, and how to fix it."""

import contextlib
import difflib
import errno
import io
import itertools
import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO, cast


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: message describes it, hint is what to write instead."""

    message: str
    file: str | None = None
    line: int | None = None
    key: str | None = None
    value: object = None
    hint: str | None = None

    def at(self, file: str, line: int | None, key: str) -> "Problem":
        """The same problem with its file and line."""
        return replace(self, file=file, line=line, key=key)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line) if part is not None)
        head = ": ".join(part for part in (place, self._key_and_value()) if part)
        text = f"{head}: {self.message}" if head else self.message
        return visible(f"{text}\n    {self.hint}" if self.hint else text)

    def _key_and_value(self) -> str | None:
        """The key; an option's value, too, because the same option may be given several times."""
        is_option = self.key is not None and self.key.startswith("--")
        if not is_option or self.value is None or str(self.value) in self.message:
            return self.key
        return f"{self.key} {self.value}"


class WeirError(Exception):
    """Something a user can fix. exit_code: 2 for wrong use or wrong files, 1 when the work itself failed."""

    _EXIT_CODE = 1

    def __init__(
        self,
        message: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        key: str | None = None,
        value: object = None,
        hint: str | None = None,
        exit_code: int | None = None,
    ) -> None:
        name = None if file is None else str(file)
        self.problems: tuple[Problem, ...] = (Problem(message, name, line, key, value, hint),)
        self.exit_code = self._EXIT_CODE if exit_code is None else exit_code
        super().__init__(str(self.problems[0]))


class InputError(WeirError):
    """A command, an option or a file that cannot be used as it was given."""

    _EXIT_CODE = 2


class TargetUnavailableError(WeirError):
    """A target cannot be used here; where it is optional, its cells are skipped with this reason."""


class ProblemsError(WeirError):
    """Several problems, reported in one go."""

    def __init__(self, problems: Sequence[Problem], exit_code: int = 1) -> None:
        super().__init__(problems[0].message, exit_code=exit_code)
        self.problems = tuple(problems)
        self.args = ("\n".join(str(problem) for problem in problems),)


class ConfigError(ProblemsError):
    """All that is wrong in the files of a configuration."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems, exit_code=2)


# Hints for errors of the operating system that people meet.
_OS_HINTS = {
    errno.ENOSPC: "make room there; finished runs are kept",
    errno.EDQUOT: "your quota is used up there: make room; finished runs are kept",
    errno.EROFS: "the file system is read-only: mount it writable, or write elsewhere",
    errno.EACCES: "let this user read and write there",
    errno.EIO: "the device or server below fails: look at the kernel log",
    errno.ESTALE: "the file system was exported anew: mount it again",
    errno.ENOTCONN: "the file system's process has ended: mount it again",
    errno.ENOENT: "check the path",
}
# If an error has two file names, as after a copy, these errors are about the second.
_OF_THE_GOAL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


def from_os_error(error: OSError) -> WeirError:
    """A message with the file and what to do, instead of a traceback."""
    is_about_goal = error.filename2 is not None and error.errno in _OF_THE_GOAL
    name = error.filename2 if is_about_goal else error.filename
    file = None if name is None else str(name)
    return WeirError(error.strerror or str(error), file=file, hint=hint_of(error))


def hint_of(error: OSError) -> str | None:
    """The hint for an error of the operating system, where one is known."""
    is_missing = error.errno == errno.ENOENT and error.filename2 is None
    is_path = isinstance(error.filename, str | bytes | os.PathLike)  # else a descriptor, or unknown
    near = neighbour_of(os.fsdecode(error.filename)) if is_missing and is_path else None
    return near or _OS_HINTS.get(error.errno or 0)


def neighbour_of(path: str | Path) -> str | None:
    """A hint at the file or folder of nearly the same name beside a path that does not exist."""
    missing = Path(path)
    try:
        with os.scandir(missing.parent) as entries:
            names = [entry.name for entry in itertools.islice(entries, _MOST_NEIGHBOURS)]
    except OSError:
        return None
    near = _nearest(missing.name, names)
    return f"did you mean '{near}'?" if near and near != missing.name else None


def error_data(error: WeirError) -> dict[str, Any]:
    """The problems as plain data, for --json and --errors."""
    facts = [
        {key: value for key, value in vars(problem).items() if value is not None}
        for problem in error.problems
    ]
    return {"errors": facts}


def unique(problems: Iterable[Problem]) -> list[Problem]:
    """Each problem once, in the order of the lines of their files."""
    by_text = {str(problem): problem for problem in problems}
    return sorted(by_text.values(), key=lambda problem: (problem.file or "", problem.line or 0))


def require_known(
    names: Iterable[str], known: Collection[object], message: str, key: str = "", file: Path | None = None
) -> None:
    """Refuses the first name that is not known; key: the option, else the name itself is the key, in the
    first line of the file."""
    for name in names:
        if name not in known:
            line, value, hint = 1 if file else None, name if key else None, did_you_mean(name, known)
            raise InputError(message, file=file, line=line, key=key or name, value=value, hint=hint)


def require_at_least(key: str, value: float, least: float, hint: str) -> None:
    """Refuses the number of an option that is below the least, and one that is NaN."""
    if not value >= least:
        raise InputError("is out of range", key=key, value=value, hint=hint)


_MOST_NAMES = 100  # names in a hint: more are no help, and hostile files have thousands
_LONGEST_NAME = 100
_MOST_NEIGHBOURS = 1000  # of a misspelt file


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """A hint for a misspelt word: the nearest known one, else all of them."""
    names = sorted(str(name) for name in known)
    first = [name for name in names[:_MOST_NAMES] if len(name) <= _LONGEST_NAME]
    if near := _nearest(str(word), first):
        return f"did you mean '{near}'?"
    lowered = {name.lower(): name for name in first}
    shown = [*lowered.values(), *([f"{len(names) - len(lowered)} more"] if len(names) > len(lowered) else [])]
    return f"known: {', '.join(shown)}" if names else "none are known here"


def _nearest(word: str, names: Iterable[str]) -> str | None:
    lowered = {name.lower(): name for name in names if len(name) <= _LONGEST_NAME}
    if len(word) > _LONGEST_NAME:
        return None
    near = difflib.get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    return lowered[near[0]] if near else None


# Control characters of ASCII and Latin 1 but tab and line feed, turns of the direction of writing, ends of
# lines and paragraphs of Unicode, and bytes of file names that are not UTF-8.
_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def visible(text: str) -> str:
    """The text with \\u001b for an escape; within JSON that means the same character."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class VisibleStream:
    """Writes visible text to a stream; `unfiltered` is for a program's own motions of the cursor."""

    def __init__(self, unfiltered: TextIO) -> None:
        self.unfiltered = unfiltered

    def write(self, text: str) -> int:
        self.unfiltered.write(visible(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unfiltered, name)


def open_closed_streams() -> None:
    """`weir run >&-` measures. The number of a closed stream must not become that of another file, to which
    whatever is started would print. A character that the locale of stdout lacks is printed as \\u2013."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest number that is free
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "w" if number else "r"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr does by itself


@contextlib.contextmanager
def visible_output() -> Iterator[None]:
    """Whatever is printed to stdout and stderr meanwhile is visible."""
    out, err = (cast(TextIO, VisibleStream(stream)) for stream in (sys.stdout, sys.stderr))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield


def unfiltered(stream: TextIO) -> TextIO:
    """The stream below, to which a program moves the cursor itself."""
    return stream.unfiltered if isinstance(stream, VisibleStream) else stream
