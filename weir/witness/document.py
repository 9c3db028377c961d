"""libweir-witness: preloaded beside programs that do not report their calls, and what it counted."""

import contextlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import weir.data
from weir.base.files import from_json, text_of, write_atomically

LIBRARY_NAME = "libweir-witness.so"
_SPLITS = re.compile("[ :]")  # separators of the loader's lists
_ENGINE = "weir-io"
_INSTALLED = Path(weir.data.__file__).parent  # envs/wheel puts the library there


def witness_library(checkout: Path, path: str | None, installed: Path = _INSTALLED) -> Path:
    """The library of the checkout, else the one that pip compiled into the package, else that in the prefix
    of the engine on the PATH; if there is none, the path where a build puts it."""
    built = checkout / "build" / LIBRARY_NAME
    engine = shutil.which(_ENGINE, path=path)
    found = [built, installed / LIBRARY_NAME]
    if engine:
        found += [folder / LIBRARY_NAME for folder in library_folders(Path(engine).resolve())]
    return next((file for file in found if file.is_file()), built)


def library_folders(engine: Path) -> tuple[Path, ...]:
    """The folders with the libraries of an engine: beside it in a build, in its prefix when it is
    installed."""
    return (engine.parent, *(engine.parent.parent / name for name in ("lib", "lib64")))


LIBRARY = witness_library(Path(__file__).resolve().parents[2], os.environ.get("PATH"))
WITNESS_FILE = "witness.json"
_WHY_NOT = Path(LIBRARY_NAME).with_suffix(".txt").name  # has the reason of a failed compilation
_PART = "witness"


def without_library(library: Path = LIBRARY, installed: Path = _INSTALLED) -> str:
    """Why no library is found, and what to do."""
    for folder in (library.parent, installed):
        with contextlib.suppress(OSError):
            return f"{LIBRARY_NAME} is missing: {(folder / _WHY_NOT).read_text(encoding='utf-8').strip()}"
    hint = "make witness in a checkout (needs a C compiler), or weir-io on the PATH"
    return f"{LIBRARY_NAME} is not found; hint: {hint}"


def preloadable(library: Path, folder: Path) -> str:
    """The name of the library for the loader, which splits its list at spaces and colons. A library below
    such names gets a link in a folder, and its name from there if the folder has them, too: programs start
    in it."""
    if not _SPLITS.search(str(library)):
        return str(library)
    link = folder.resolve() / library.name
    with contextlib.suppress(FileExistsError):
        link.symlink_to(library)
    return f"./{link.name}" if _SPLITS.search(str(link)) else str(link)


def witness_variables(outputs: Path, data_folder: Path, real_folder: str, preloaded: str) -> dict[str, str]:
    """The variables that make a program's ranks report to outputs, in which they start, about files in
    data_folder; nothing without the library. It is loaded behind what is preloaded already: there it sees
    what reaches the system."""
    if not LIBRARY.is_file():
        return {}
    own = preloadable(LIBRARY, outputs)
    return {
        "LD_PRELOAD": ":".join([*filter(None, preloaded.replace(" ", ":").split(":")), own]),
        "WEIR_WITNESS": str(outputs.resolve() / _PART),
        "WEIR_WITNESS_ROOT": real_folder,
        "WEIR_WITNESS_PATH": str(data_folder),
    }


def gather_witness(outputs: Path) -> None:
    """Make one file of those that the processes of a launch left."""
    if (outputs / LIBRARY_NAME).is_symlink():
        (outputs / LIBRARY_NAME).unlink()
    parts = sorted(outputs.glob(f"{_PART}.*.*.json"))
    processes = [one for one in reports_in(parts) if isinstance(one, dict) and one.get("schema") == 1]
    if processes:
        processes.sort(key=lambda process: (process["rank"], process["pid"]))
        text = json.dumps({"schema": 1, "processes": processes}, indent=1)
        write_atomically(outputs / WITNESS_FILE, text + "\n")
    for part in parts:
        part.unlink()


def reports_in(parts: Iterable[Path]) -> Iterator[Any]:
    """The content of each report, whose names of files may be of any bytes; None for that of a process that
    was killed while it wrote."""
    for part in parts:
        try:
            yield from_json(text_of(part))
        except ValueError:
            yield None
