"""Files that are whole or absent, and errors of reading them that name the file and what to do.

What weir wrote and reads back may be damaged by a full disk, an editor or another program. Two means: the
shape of a file is checked when it is read; and what is computed from one file alone is computed within
damage_named.
"""

import contextlib
import csv
import hashlib
import io
import json
import math
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from weir.base.errors import InputError, WeirError, hint_of

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def path_fault(path: Path | str) -> str | None:
    """Why a path cannot be used: in a list of paths, a variable such as PATH, a file in UTF-8, the commands
    of ReFrame, or the calls of MPI-IO."""
    text = str(path)
    if any(ord(each) < ord(" ") for each in text):
        return "has a tab, a line break or another control character"
    if any("\ud800" <= each <= "\udfff" for each in text):
        return "has bytes that are not UTF-8"
    if "$" in text:
        return "has a dollar sign, after which ReFrame and shells put the value of a variable"
    return "has a colon, which separates paths, and types of file systems in MPI-IO" if ":" in text else None


def expanded(given: str | Path) -> Path:
    """The path with the home of ~, which shells leave in --out=~/x.csv; without a home of that name, as it is
    written."""
    return Path(os.path.expanduser(given))


def require_plain_path(path: Path, what: str) -> Path:
    if fault := path_fault(path):
        raise InputError(f"{what} {str(path)!r} {fault}", hint="move or rename it")
    return path


def require_file(file: Path) -> None:
    """A pipe or a device may have no end, or never begin; and written to, it would become a file."""
    kind = _KINDS.get(stat.S_IFMT(file.stat().st_mode))
    if kind:
        hint = "write what it gives to a file, and name that"
        raise InputError(f"is {kind}, not a file", file=printable(file), hint=hint)


def write_atomically(path: Path, text: str) -> None:
    """The file has its old or its new content at any moment, also after a power cut or on a full disk."""
    with whole_file(path) as stream:
        stream.write(text)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[IO[str]]:
    """A stream whose text becomes the file when the block ends, and nothing if it ends with an error."""
    with whole_bytes(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", write_through=True)
        yield text
        text.detach()


@contextlib.contextmanager
def whole_bytes(path: Path) -> Iterator[IO[bytes]]:
    """Writes a file of bytes whole or not at all, as whole_file does for text."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        # Errors of write and fsync have no name; the one of the temporary file nobody knows.
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            error.filename, error.filename2 = str(path), None
        raise


def printable(path: Path | str) -> str:
    """A path or another name as text: bytes that are no UTF-8 and control characters as their codes."""
    text = str(path).encode(errors="backslashreplace").decode()
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


class Hashed:
    """A stream with the SHA-256 of what was written to it: a file need not be read again for its checksum."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._sum = stream, hashlib.sha256()

    def write(self, data: bytes | memoryview) -> None:
        self._sum.update(data)
        self._stream.write(data)

    def sha256(self) -> str:
        """The SHA-256 of what was written so far, in hexadecimal digits."""
        return self._sum.hexdigest()


def as_json(facts: object) -> str:
    """Plain data as every --json prints it."""
    return json.dumps(facts, indent=1)


def csv_lines(rows: Iterable[Iterable[object]]) -> str:
    """Lines of a table; the field of None is empty."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


@contextlib.contextmanager
def reading(path: Path, hint: str = "") -> Iterator[None]:
    """Reports a file that cannot be read inside the block as one that was named wrongly."""
    try:
        yield
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise InputError(message, file=printable(path), hint=hint or hint_of(error)) from None


def text_of(file: Path) -> str:
    """The text of a file that may be gone, or that this user may not read: empty then."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def from_json(text: str | bytes) -> Any:
    """The content of a file that may be damaged: damage is a ValueError, also brackets without end."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("holds brackets within brackets without end") from None


def json_of(file: Path) -> Any:
    """The content of a file that may be gone or damaged; None then."""
    try:
        return from_json(file.read_bytes())
    except (OSError, ValueError):
        return None


def read_object(path: Path, hint: str) -> dict[str, Any]:
    """The JSON object in a file; FileNotFoundError if there is none, WeirError if it is damaged."""
    try:
        content = from_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise WeirError(f"cannot be read: {error.strerror}", file=path, hint=hint) from None
    except ValueError as error:
        raise WeirError(f"is damaged: {error}", file=path, hint=hint) from None
    if not isinstance(content, dict):
        raise WeirError("is damaged: it does not hold a JSON object", file=path, hint=hint)
    return content


# Errors of Python where a value is missing or of another type than the code expects.
WRONG_CONTENT = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
# A type, several of them, a list with the shape of its items, or keys with their shapes: `key?` may be null
# or missing, `*` stands for any other key.
Shape = Any
NUMBER = (int, float)
_NAMES = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "keys",
}


@contextlib.contextmanager
def damage_named(path: Path, hint: str) -> Iterator[None]:
    """Reports an error inside the block as a fault of the file; nothing else is read or computed within."""
    try:
        yield
    except WRONG_CONTENT as error:
        detail = f"a value is missing or of another type ({type(error).__name__}: {error})"
        raise WeirError(f"is damaged: {detail[:200]}", file=path, hint=hint) from error


def read_shaped(path: Path, shape: Shape, hint: str) -> dict[str, Any]:
    """The JSON object in a file of this shape; FileNotFoundError if there is none, else WeirError."""
    content = read_object(path, hint)
    shaped(content, shape, path, hint)
    return content


def shaped(content: Any, shape: Shape, path: Path, hint: str, exit_code: int = 1) -> Any:
    """The content of the file, if it has the shape."""
    if fault := fault_of(content, shape):
        key, wrong = fault
        raise WeirError(
            f"is damaged: {wrong}", file=path, key=key.lstrip(".") or None, hint=hint, exit_code=exit_code
        )
    return content


def fault_of(data: Any, shape: Shape, key: str = "") -> tuple[str, str] | None:
    """The key of the first value that is missing or has another type, and what is wrong with it."""
    if isinstance(shape, dict):
        return _fault_of_keys(data, shape, key) if isinstance(data, Mapping) else _other(data, (dict,), key)
    if isinstance(shape, list):
        if not isinstance(data, list):
            return _other(data, (list,), key)
        faults = (fault_of(item, shape[0], f"{key}[{place}]") for place, item in enumerate(data))
        return next(filter(None, faults), None)
    kinds = shape if isinstance(shape, tuple) else (shape,)
    is_other = not isinstance(data, kinds) or (isinstance(data, bool) and bool not in kinds)
    if is_other or (isinstance(data, float) and not math.isfinite(data)):
        return _other(data, kinds, key)
    return None


def _fault_of_keys(data: Mapping[str, Any], shape: Mapping[str, Shape], key: str) -> tuple[str, str] | None:
    named = {name.removesuffix("?"): inner for name, inner in shape.items()}
    for name, inner in shape.items():
        if name.endswith("?") and data.get(name[:-1]) is None:
            continue
        if name != "*" and name.removesuffix("?") not in data:
            return f"{key}.{name}", "is missing"
        found = name != "*" and fault_of(
            data[name.removesuffix("?")], inner, f"{key}.{name.removesuffix('?')}"
        )
        if found:
            return found
    others = ((name, value) for name, value in data.items() if name not in named)
    faults = (fault_of(value, shape["*"], f"{key}.{name}") for name, value in others if "*" in shape)
    return next(filter(None, faults), None)


def _other(data: Any, kinds: tuple[type, ...], key: str) -> tuple[str, str]:
    wanted = "a number" if kinds == NUMBER else " or ".join(_NAMES.get(kind, "nothing") for kind in kinds)
    return key, f"is {repr(data)[:40]}, not {wanted}"


def file_sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sum_of(file: Path) -> str | None:
    """The SHA-256 of a file; None for a file that cannot be read, or whose name no file can have."""
    try:
        return file_sha256(file)
    except (OSError, ValueError):
        return None
