"""Trees of files whose formats are known, and what must be found in them."""

import gzip
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.survey.tally import State

_GRIB_1 = b"GRIB\x00\x01\x00\x01" + bytes(40)
_GRIB_2 = b"GRIB\x00\x00\x00\x02" + bytes(40)
_HDF5 = b"\x89HDF\r\n\x1a\n" + bytes(100)
_BULLETIN = b"\x01\r\r\n123\r\r\nHTXX01 EDZW 010000\r\r\n"

# Extension, content, what it is.
KINDS = (
    ("nc", b"CDF\x01" + bytes(200), "NetCDF classic"),
    ("nc", b"CDF\x02" + bytes(200), "NetCDF 64-bit offset"),
    ("nc", b"CDF\x05" + bytes(200), "NetCDF CDF-5"),
    ("nc", _HDF5 + bytes(5000) + b"_NCProperties" + bytes(60), "NetCDF-4"),
    ("h5", _HDF5, "HDF5"),
    ("h5", bytes(512) + _HDF5, "HDF5"),
    ("grb", _GRIB_1, "GRIB 1"),
    ("grb2", _GRIB_2, "GRIB 2"),
    ("grb", _BULLETIN + _GRIB_1, "GRIB 1"),
    ("dat", _GRIB_2, "GRIB 2"),
    ("gz", gzip.compress(b"weir" * 50, mtime=0), "gzip"),
    ("nc", gzip.compress(b"CDF" * 50, mtime=0), "gzip"),
    ("txt", "Gr\u00fc\u00dfe\n".encode() * 9, "text"),
    ("log", "Gr\u00fc\u00dfe\n".encode("latin-1") * 9, "text"),
    ("", b"#!/bin/sh\nexit 0\n", "text"),
    ("grb", b"not a GRIB at all\n", "text"),
    ("bin", bytes(range(256)), "other"),
    ("o", b"\x7fELF" + bytes(90), "executable or object"),
    ("zip", b"PK\x03\x04" + bytes(30), "zip"),
    ("out", b"", "empty"),
)


@dataclass(frozen=True)
class Tree:
    folder: Path
    formats: Counter[str]  # files of each format
    volume: Counter[str]  # and their bytes


def make_tree(folder: Path, files: int, files_per_directory: int = 50) -> Tree:
    """Every kind equally often, but for the rest; kinds are spread over all directories."""
    formats: Counter[str] = Counter()
    volume: Counter[str] = Counter()
    for number in range(files):
        inner = folder / f"d{number // files_per_directory % 97}" / f"e{number // files_per_directory}"
        inner.mkdir(parents=True, exist_ok=True)
        extension, content, name = KINDS[number % len(KINDS)]
        stem = f"file{number:06d}"
        (inner / (f"{stem}.{extension}" if extension else stem)).write_bytes(content)
        formats[name] += 1
        volume[name] += len(content)
    return Tree(folder, formats, volume)


@contextmanager
def opened(file: Path, about: Mapping[str, Any]) -> Iterator[State]:
    state = State(file, about)
    state.open()
    yield state
    state.close()


def inventory(folder: Path) -> dict[str, tuple[int, int, int, int, int]]:
    """Of everything below: mode, size, times of change and of access. What a scan must leave as it was."""
    found = {}
    for where, directories, files in os.walk(folder):
        for name in (*directories, *files):
            path = os.path.join(where, name)
            about = os.lstat(path)
            accessed = 0 if name in directories else about.st_atime_ns
            found[path] = (about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns, accessed)
    return found
