"""Parses an IOR command line into the tool's parameter names; it knows the spellings of 3.0.1 and 4.x,
and the terms of IOR for what the project has names for.
"""

import re
from collections.abc import Callable
from typing import Any

from weir.data import data_folder
from weir.records.printed_values import real, whole
from weir.tools.outputs import binary_size, options_in, words_of

# The project's interface and IOR's -a. IOR has no NetCDF-4 back end; weir-io takes NETCDF4 as it is.
# Asynchronous I/O is URING in weir-io and AIO in IOR.
API_OPTIONS = {
    "POSIX": "POSIX",
    "MPIIO": "MPIIO",
    "HDF5": "HDF5",
    "NETCDF4": "NETCDF4",
    "PNETCDF": "NCMPI",
    "IME": "IME",
    "MMAP": "MMAP",
    "URING": "URING",
    "NULL": "NULL",
}
for _file in sorted((data_folder("config").resolve().parent / "src/engine/backends").glob("*.c")):
    # A checkout may have back ends of its own: the engine takes their names as they are.
    if _found := re.search(r'\.name = "([A-Z0-9]+)"', _file.read_text()):
        API_OPTIONS.setdefault(_found[1], _found[1])
IOR_OPTIONS = {"NULL": "DUMMY", "URING": "AIO"}  # names of IOR's -a that differ from weir-io's
API_NAMES = {option: name for names in (API_OPTIONS, IOR_OPTIONS) for name, option in names.items()}


# Letters that take a value; -l and the long options take one in 4.x as -l=VALUE only.
_WITH_VALUE = "aAbdDfGijJlMNoOQstTUX"
_EMBEDDED = "./ior"  # IO500's name for the IOR within itself
_FLAGS: dict[str, tuple[str, Any]] = {
    "c": ("collective", True),
    "e": ("sync", True),
    "Y": ("sync_each", True),
    "F": ("layout", "file-per-process"),
    "g": ("barriers", True),
    "C": ("reorder", "constant"),
    "Z": ("reorder", "random"),
    "W": ("verify_write", True),
    "R": ("verify_read", True),
    "B": ("direct", True),  # 3.0.1
    "k": ("keep", True),
    "m": ("many_files", True),
    "posix.odirect": ("direct", True),
    "mpiio.useFileView": ("file_view", True),
    "collective": ("collective", True),
    "dryRun": ("dry_run", True),
}
_DIRECTIVES: dict[str, str] = {
    "stonewallingwearout": "wear_out",
    "stonewallingstatusfile": "status_file",
    "stonewallingwearoutiterations": "status_file",
    "mintimeduration": "min_time_s",
    "maxtimeduration": "max_time_min",
    "useo_direct": "direct",
    "fsyncperwrite": "sync_each",
    "summaryfile": "summary_file",
}
# Defaults without the option: IOR 4's AIO, weir-io's URING; every other back end waits for each transfer.
_USUAL_DEPTH = {"AIO": 128, "URING": 32}
_DEFAULTS: dict[str, Any] = {
    "api": "POSIX",
    "layout": "shared",
    "order": "sequential",
    "xfer_bytes": 262144,
    "block_bytes": 1048576,
    "segments": 1,
    "iterations": 1,
    "collective": False,
    "sync": False,
    "barriers": False,
    "stonewall": 0.0,
    "wear_out": False,
    "reorder": "none",
    "verify_write": False,
    "verify_read": False,
    "direct": False,
    "iodepth": 1,
    "rate": 0,
    "rw_mix": 0,
    "zipf": 0.0,
    "distribution": "blocks",
    "file_view": False,
    "compress_percent": 0,
    "dedupe_percent": 0,
    "keep": False,
}


def _percentage(text: str) -> int | None:
    return whole(text.removesuffix("%")) if text.endswith("%") else None


def _seconds(text: str) -> float | None:
    found = real(text)
    return None if found is None or found < 0 else found


# What an option with a value requests, and how the value is read; nothing is requested where that gives None.
_VALUES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "t": ("xfer_bytes", binary_size),
    "b": ("block_bytes", binary_size),
    "s": ("segments", binary_size),
    "i": ("iterations", binary_size),
    "Q": ("reorder_nodes", whole),
    "M": ("fill_memory", _percentage),
    "D": ("stonewall", _seconds),
    "l": ("payload", lambda text: text or None),
    "uring.depth": ("iodepth", whole),
    "aio.max-pending": ("iodepth", whole),
    "rate": ("rate", whole),
    "rw-mix": ("rw_mix", whole),
    "zipf": ("zipf", real),
    "distribution": ("distribution", str),
    "buffer-compress-percentage": ("compress_percent", whole),
    "dedupe-percentage": ("dedupe_percent", whole),
}

# Options that columns or facts have, or of which only a write or only a read has one; and those that are of
# the output or the names of a run: no conditions of their own.
_BY_OPTION = ("sync_each",)  # no column has it: its option tells cells apart
_KNOWN = {
    *"wrzfaO",
    *(option for option, (fact, _) in _FLAGS.items() if fact not in _BY_OPTION),
    *(name for name in _VALUES if name not in "lMQ"),
}
_USUAL = {"Q": "1"}  # what the option has without being given
_OF_OUTPUT = re.compile(
    r"[AdGhHijkKNoqTvxX]|help|verbose|mpiio\.showHints|random-offset-seed|warningAsErrors"
    r"|dfs\.(?:pool|cont|group|prefix|svcl)"
    r"|(?i:summary\w+|save\w+|keepfile\w*|testfile|quitonerror|showhints|testnum)"
)


def other_options(command_line: str) -> dict[str, str]:
    """The options that tell runs apart and have no column, as they are written."""
    told: dict[str, str] = {}
    for option, value in options_in(words_of(command_line)[1:], _WITH_VALUE, "l"):
        directives = (part.partition("=")[::2] for part in value.split(",")) if option == "O" else ()
        found = ((_DIRECTIVES.get(name.strip().lower(), ""), name, text) for name, text in directives)
        told |= {name: text for fact, name, text in found if fact in ("", *_BY_OPTION)}
        told |= {option: value} if option not in _KNOWN and _USUAL.get(option) != value else {}
    return {name: value for name, value in told.items() if not _OF_OUTPUT.fullmatch(name)}


def has_script(command_line: str) -> bool:
    return any(name == "f" for name, _ in options_in(words_of(command_line)[1:], _WITH_VALUE, "l"))


def parse_arguments(command_line: str) -> dict[str, Any]:
    """Everything the command line settles; with a script file (-f) what is not given stays open."""
    arguments = words_of(command_line)
    requested: dict[str, Any] = {}
    access: list[str] = []
    random_count = 0
    has_script = False
    # The depth that -a implies gives way to the one of an option, wherever that stands.
    options = sorted(options_in(arguments[1:], _WITH_VALUE, "l"), key=lambda one: one[0] != "a")
    for option, value in options:
        if option in ("w", "r"):
            access.append({"w": "write", "r": "read"}[option])
        elif option == "z":
            random_count += 1
        elif option == "f":
            has_script = True
        else:
            requested |= _setting(option, value)
    if random_count:
        requested |= {"order": "random", "random_twice": random_count > 1}
    if access:
        requested["access"] = access
    if arguments[:1] == [_EMBEDDED]:
        requested["embedded"] = True
    if has_script:
        return requested
    both = [] if requested.get("verify_write") or requested.get("verify_read") else ["write", "read"]
    return {**_DEFAULTS, "access": both, **requested}


def _setting(option: str, value: str) -> dict[str, Any]:
    if option in _FLAGS:
        name, meaning = _FLAGS[option]
        return {name: meaning}
    if option == "a":
        back_end = value.upper()
        depth = _USUAL_DEPTH.get(back_end)
        return {"api": API_NAMES.get(back_end, back_end)} | ({"iodepth": depth} if depth else {})
    if option in _VALUES:
        name, read = _VALUES[option]
        found = read(value)
        return {} if found is None else {name: found}
    return _directives(value) if option == "O" else {}


def _directives(text: str) -> dict[str, Any]:
    """-O key=value,key=value"""
    found: dict[str, Any] = {}
    for part in text.split(","):
        key, _, value = part.partition("=")
        name = _DIRECTIVES.get(key.strip().lower())
        if name in ("wear_out", "direct", "sync_each"):
            found[name] = value.strip() not in ("", "0")
        elif name:
            found[name] = value.strip()
    return found
