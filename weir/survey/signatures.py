"""The format of a file from its first bytes, and which formats its extension names."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
    "nc3": _NETCDF[:3],
    "cdf": _NETCDF[:3],
    "nc4": (NETCDF4,),
    "h5": (HDF5, NETCDF4),
    "hdf5": (HDF5, NETCDF4),
    "he5": (HDF5, NETCDF4),
    "hdf": ("HDF4", HDF5, NETCDF4),
    "grb": (GRIB1, GRIB2),
    "grib": (GRIB1, GRIB2),
    "grb1": (GRIB1,),
    "grb2": (GRIB2,),
    "grib2": (GRIB2,),
    "gz": ("gzip",),
    "tgz": ("gzip",),
    "bz2": ("bzip2",),
    "xz": ("xz",),
    "zst": ("zstd",),
    "lz4": ("lz4",),
    "z": ("compress",),
    "zip": ("zip",),
    "tar": ("tar",),
    "txt": (TEXT,),
    "csv": (TEXT,),
    "log": (TEXT,),
    "json": (JSON,),
    "geojson": (JSON,),
    "ipynb": (JSON,),
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
