"""The counts of a directory or a tree: all files by extension, the sampled ones by what they contain, which
their first bytes tell.

The state of a scan has one line for each finished directory, so that a stopped scan can resume.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from weir.base.errors import WeirError
from weir.base.files import WRONG_CONTENT, fault_of, from_json, write_atomically

HEAD_BYTES = 4096
# NetCDF-4 is HDF5 with attributes of its own, which follow further into the file.
HDF5_HEAD_BYTES = 65536

EMPTY = "empty"
OTHER = "other"
HDF5 = "HDF5"
NETCDF4 = "NetCDF-4"
GRIB1, GRIB2 = "GRIB 1", "GRIB 2"
TEXT, JSON = "text", "JSON"

_STARTS: Mapping[bytes, str] = {
    b"CDF\x01": "NetCDF classic",
    b"CDF\x02": "NetCDF 64-bit offset",
    b"CDF\x05": "NetCDF CDF-5",
    b"\x0e\x03\x13\x01": "HDF4",
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    b"\x1f\x9d": "compress",
    b"PK\x03\x04": "zip",
    b"\x7fELF": "executable or object",
}
_HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_HDF5_OFFSETS = (0, 512, 1024, 2048)  # a user block may precede it
# An object, or a list; neither [section] of a configuration nor [12] before a line of a log is one.
_JSON_HEAD = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\{\s*["}]|\[\s*(?:[\[{"\]]|-?[\d.eE+-]+\s*,))')
_NETCDF4_MARKS = (b"_NCProperties", b"_Netcdf4Dimid", b"_nc3_strict", b"_Netcdf4Coordinates")
_GRIB_WITHIN_BYTES = 512  # a bulletin's heading may precede it
_TAR_AT, _TAR = 257, b"ustar"

_NETCDF = ("NetCDF classic", "NetCDF 64-bit offset", "NetCDF CDF-5", NETCDF4)
EXTENSIONS: Mapping[str, tuple[str, ...]] = {
    "nc": _NETCDF,
    **dict.fromkeys(("nc3", "cdf"), _NETCDF[:3]),
    "nc4": (NETCDF4,),
    **dict.fromkeys(("h5", "hdf5", "he5"), (HDF5, NETCDF4)),
    "hdf": ("HDF4", HDF5, NETCDF4),
    **dict.fromkeys(("grb", "grib"), (GRIB1, GRIB2)),
    "grb1": (GRIB1,),
    **dict.fromkeys(("grb2", "grib2"), (GRIB2,)),
    **dict.fromkeys(("gz", "tgz"), ("gzip",)),
    "bz2": ("bzip2",),
    "xz": ("xz",),
    "zst": ("zstd",),
    "lz4": ("lz4",),
    "z": ("compress",),
    "zip": ("zip",),
    "tar": ("tar",),
    **dict.fromkeys(("txt", "csv", "log"), (TEXT,)),
    **dict.fromkeys(("json", "geojson", "ipynb"), (JSON,)),
    "o": ("executable or object",),
}


def extension_of(name: str) -> str:
    """The extension in lower case without its dot; empty for a name without one, or if it is not
    alphanumeric."""
    stem, dot, extension = name.rpartition(".")
    plain = extension.lower()
    return plain if dot and stem and plain.isalnum() and len(plain) <= 8 else ""


def format_of(head: bytes) -> str:
    """head: the first HEAD_BYTES of the file, or HDF5_HEAD_BYTES if needs_more is true."""
    if not head:
        return EMPTY
    for start, name in _STARTS.items():
        if head.startswith(start):
            return name
    if any(head[at : at + 8] == _HDF5_SIGNATURE for at in _HDF5_OFFSETS):
        return NETCDF4 if any(mark in head for mark in _NETCDF4_MARKS) else HDF5
    if grib := _grib(head):
        return grib
    if head[_TAR_AT : _TAR_AT + 5] == _TAR:
        return "tar"
    if not _is_text(head):
        return OTHER
    return JSON if _JSON_HEAD.match(head) else TEXT


def needs_more(head: bytes) -> bool:
    return format_of(head) == HDF5


def _grib(head: bytes) -> str:
    """GRIB, then a length of three bytes (or reserved ones and a discipline), then the edition."""
    at = head.find(b"GRIB", 0, _GRIB_WITHIN_BYTES)
    edition = head[at + 7] if 0 <= at < len(head) - 7 else 0
    return {1: GRIB1, 2: GRIB2}.get(edition, "")


def _is_text(head: bytes) -> bool:
    if b"\x00" in head:
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        # The last character may be truncated; anything else is Latin-1 at best.
        if error.start < len(head) - 3:
            return _is_latin_1(head)
    return True


def _is_latin_1(head: bytes) -> bool:
    controls = sum((byte < 32 and byte not in b"\t\n\r\f\x1b") or 127 <= byte < 160 for byte in head)
    return controls == 0


_MOST = 2**200  # no count, volume or sum of squares of a tree reaches it
# Ends of the classes of sizes, in bytes.
SIZES = (4096, 2**20, 2**30)


@dataclass
class Sums:
    """The sums over files of one kind; the squares give the interval of a volume."""

    files: int = 0
    size_bytes: int = 0
    squares: int = 0

    def count(self, size_bytes: int) -> None:
        self.files += 1
        self.size_bytes += size_bytes
        self.squares += size_bytes * size_bytes

    def add(self, other: "Sums") -> None:
        self.files += other.files
        self.size_bytes += other.size_bytes
        self.squares += other.squares


@dataclass
class FormatTally:
    """seen: every file, by extension. content: the sampled ones, by extension and format."""

    seen: dict[str, Sums] = field(default_factory=dict)
    content: dict[tuple[str, str], Sums] = field(default_factory=dict)
    sizes: Counter[int] = field(default_factory=Counter)  # files in each class of SIZES
    skipped: Counter[str] = field(default_factory=Counter)  # what was not opened, by reason
    directories: int = 0

    def see(self, extension: str, size_bytes: int) -> None:
        self.seen.setdefault(extension, Sums()).count(size_bytes)
        self.sizes[sum(size_bytes >= end for end in SIZES)] += 1

    def recognise(self, extension: str, content: str, size_bytes: int) -> None:
        self.content.setdefault((extension, content), Sums()).count(size_bytes)

    def add(self, other: "FormatTally") -> None:
        for extension, sums in other.seen.items():
            self.seen.setdefault(extension, Sums()).add(sums)
        for key, sums in other.content.items():
            self.content.setdefault(key, Sums()).add(sums)
        self.sizes.update(other.sizes)
        self.skipped.update(other.skipped)
        self.directories += other.directories

    @property
    def files(self) -> int:
        return sum(sums.files for sums in self.seen.values())

    @property
    def size_bytes(self) -> int:
        return sum(sums.size_bytes for sums in self.seen.values())

    def data(self) -> dict[str, Any]:
        """The tally as JSON, for the state of a scan."""
        return {
            "seen": {name: [*vars(sums).values()] for name, sums in self.seen.items()},
            "content": [[*key, *vars(sums).values()] for key, sums in self.content.items()],
            "sizes": sorted(self.sizes.items()),
            "skipped": dict(self.skipped),
            "directories": self.directories,
        }

    @staticmethod
    def of(data: Mapping[str, Any]) -> "FormatTally":
        """Reads what data() gave; damage is one of TypeError, ValueError, KeyError and AttributeError."""
        return FormatTally(
            {str(name): Sums(*map(_count, values)) for name, values in data["seen"].items()},
            {(str(one), str(other)): Sums(*map(_count, values)) for one, other, *values in data["content"]},
            Counter({int(size): _count(count) for size, count in data["sizes"]}),
            Counter({str(reason): _count(count) for reason, count in data["skipped"].items()}),
            _count(data["directories"]),
        )


def _count(value: Any) -> int:
    """A count of a file that may be damaged; ValueError for a number that no tree has."""
    number = int(value)
    if not 0 <= number < _MOST:
        raise ValueError("a count is out of range")
    return number


_HINT = "name another file by --state, or remove this one to scan again from the start"


class State:
    """Appends to FILE. A truncated last line is ignored: its directory is scanned again."""

    def __init__(self, file: Path, about: dict[str, Any]) -> None:
        self.file, self.about = file, about
        self.finished: dict[str, tuple[FormatTally, list[str]]] = {}
        self._out: TextIO | None = None

    def open(self) -> None:
        if self.file.exists():
            self._read()
        # Written again, without what was truncated; whole before it replaces the old one.
        entries = [self.about, *(_line_of(path, *found) for path, found in self.finished.items())]
        write_atomically(self.file, "".join(map(_text, entries)))
        self._out = self.file.open("a", encoding="utf-8")

    def finish(self, path: str, tally: FormatTally, inner: list[str]) -> None:
        assert self._out is not None
        self._out.write(_text(_line_of(path, tally, inner)))
        self._out.flush()

    def close(self) -> None:
        if self._out:
            self._out.close()

    def _read(self) -> None:
        content = self.file.read_bytes() if self.file.is_file() else b"not a regular file"
        known = list(_whole(content.splitlines()))
        if content and (not known or known[0] != self.about):
            other = bool(known) and isinstance(known[0], dict) and known[0].keys() == self.about.keys()
            message = f"is the state of another scan: {known[0]}" if other else "is not the state of a scan"
            raise WeirError(message, file=str(self.file), hint=_HINT, exit_code=2)
        for number, line in enumerate(known[1:], start=2):
            try:
                path, tally, inner = line["directory"], FormatTally.of(line["tally"]), line["inner"]
                if fault_of([path, *inner], [str]) or "\0" in "".join([path, *inner]):
                    raise ValueError("a name is damaged")
            except WRONG_CONTENT:
                raise WeirError(
                    "is damaged", file=str(self.file), line=number, hint=_HINT, exit_code=2
                ) from None
            self.finished[path] = (tally, inner)


def _text(entry: dict[str, Any]) -> str:
    return json.dumps(entry) + "\n"


def _line_of(path: str, tally: FormatTally, inner: list[str]) -> dict[str, Any]:
    return {"directory": path, "inner": inner, "tally": tally.data()}


def _whole(lines: list[bytes]) -> Iterator[Any]:
    for line in lines:
        try:
            yield from_json(line)
        except ValueError:
            return
