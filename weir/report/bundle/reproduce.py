"""weir reproduce: collects and draws the study of a bundle again, and compares the files.

A bundle is unpacked into an empty folder: what it may hold is bounded, and checked while it is unpacked.
"""

from __future__ import annotations

import re
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from weir.base.errors import WeirError
from weir.base.units import about_size
from weir.report.bundle.appendix import Line, claim_lines
from weir.report.bundle.rebuild import COLLECTED, DRAWN, collected_again, drawn_again
from weir.runs.files import file_sha256
from weir.runs.manifest import MANIFEST, Difference, Verified, digest_of, read_manifest, verify


@dataclass(frozen=True)
class CheckedLine:
    """A line of the table of `weir appendix`, and what the study gives for it now."""

    claim: str
    file: str
    expected: str
    found: str

    @property
    def is_reproduced(self) -> bool:
        return self.found == self.expected


@dataclass(frozen=True)
class Reproduced:
    """Names of files, as seen from the study."""

    digest: str
    identical: tuple[str, ...]
    different: tuple[str, ...]
    skipped: str  # why figures were not compared; empty if they were
    lines: tuple[CheckedLine, ...] = ()  # of the appendix; none where nothing was drawn


def verify_bundle(bundle: Path) -> Verified:
    """Verifies a bundle that stays packed."""
    with tempfile.TemporaryDirectory(prefix="weir-verify-") as name:
        folder = Path(name)
        unpack(bundle, folder)
        _, sums = read_manifest(folder)
        return Verified(
            len(sums), tuple(differences_of_bundle(folder)), digest_of(read_manifest(_study_in(folder))[0])
        )


def opened(bundle: Path, folder: Path) -> Path:
    """The study of the bundle, unpacked into a new folder and checked against its checksums."""
    if folder.exists() and any(folder.iterdir()):
        raise WeirError(
            "is not empty", file=str(folder), key="--out", hint="name a new directory", exit_code=2
        )
    unpack(bundle, folder)
    found = differences_of_bundle(folder)
    if found:
        raise WeirError(
            f"is not as it was written: {found[0]}", file=str(bundle), hint="get the bundle again"
        )
    return _study_in(folder)


def _study_in(folder: Path) -> Path:
    studies = sorted((folder / "results").glob(f"*/*/{MANIFEST}"))
    if len(studies) != 1:
        raise WeirError(f"holds {len(studies)} studies instead of one", file=str(folder))
    return studies[0].parent


def differences_of_bundle(folder: Path) -> list[Difference]:
    """The files that were edited, deleted or added in an unpacked bundle."""
    _, sums = read_manifest(folder)
    present = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()} - {MANIFEST}
    edited = [name for name in sums.keys() & present if file_sha256(folder / name) != sums[name]]
    kinds = {"edited": edited, "deleted": sums.keys() - present, "added": present - sums.keys()}
    found = [Difference(kind, name) for kind, names in kinds.items() for name in names]
    for study in (folder / "results").glob(f"*/*/{MANIFEST}"):
        found += verify(study.parent).differences
    return sorted(found, key=lambda item: item.path)


def reproduce(bundle: Path, folder: Path) -> Reproduced:
    """Unpack the bundle into folder, collect and draw again by its code, without network."""
    study = opened(bundle, folder.resolve())
    digest = digest_of(read_manifest(study)[0])
    code = folder.resolve() / "code"
    original = {
        str(file.relative_to(study)): file.read_bytes() for file in study.rglob("*") if file.is_file()
    }
    expected = _lines(study)
    drawings = [name for name in original if name.partition("/")[0] in DRAWN]
    for name in ("page.json", "claims.csv") if drawings and shutil.which("Rscript") else ():
        (study / name).unlink(missing_ok=True)  # or what was not drawn again would be compared with itself
    compared = []
    if (study / "plan.json").is_file():
        collected_again(code, study)
        compared += [*COLLECTED, MANIFEST]
    lines: tuple[CheckedLine, ...] = ()
    skipped = "" if drawings else "the bundle holds none"
    if drawings and not drawn_again(code, study):
        skipped = "Rscript is missing"
    elif drawings:
        compared += drawings
        lines = checked(expected, _lines(study))
    different = [name for name in compared if _content(study / name) != original[name]]
    identical = [name for name in compared if name not in different]
    return Reproduced(digest, tuple(sorted(identical)), tuple(sorted(different)), skipped, lines)


def _lines(study: Path) -> list[Line]:
    return claim_lines(study) if (study / "page.json").is_file() else []


def checked(expected: list[Line], found: list[Line]) -> tuple[CheckedLine, ...]:
    """Each line that was expected, with what stands there now, and each that is new."""
    pairs = {(line.claim, line.expected) for line in found}
    now = {line.claim: line.expected for line in found}
    before = {line.claim for line in expected}
    new = [
        CheckedLine(line.claim, line.file, "none", line.expected)
        for line in found
        if line.claim not in before
    ]
    kept = [
        CheckedLine(
            one.claim,
            one.file,
            one.expected,
            one.expected if (one.claim, one.expected) in pairs else now.get(one.claim, "none"),
        )
        for one in expected
    ]
    return (*kept, *new)


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


@contextmanager
def unpacked(texts: Sequence[str]) -> Iterator[list[str]]:
    """Each text is a path or several joined by commas; a bundle becomes the directory of its study."""
    with ExitStack() as stack:

        def folder_of(part: str) -> str:
            if not (Path(part).is_file() and Path(part).suffix == ".zip"):
                return part
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="weir-bundle-"))
            return str(opened(Path(part), Path(folder)))

        yield [",".join(folder_of(part) for part in text.split(",")) for text in texts]


MOST_ENTRIES = 500_000
# Tables and logs are packed to a tenth, at best to a fiftieth; a bomb to a thousandth.
MOST_RATIO = 100  # unpacked over packed bytes of one file
MOST_RATIO_OF_ALL = 50
FREE_BYTES = 2**20  # a file may have so many, whatever its ratio
FREE_BYTES_OF_ALL = 64 * 2**20
_CHUNK_BYTES = 2**20
_DEEPEST = 30
_LONGEST_PATH = 1_000
_CONTROL = re.compile(r"[\x00-\x1f\x7f\\]")
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    RuntimeError,
    NotImplementedError,
    ValueError,
    OverflowError,
)


def unpack(bundle: Path, folder: Path) -> None:
    """Write the files of the bundle into the folder; if any is refused, the folder is removed again."""
    try:
        with zipfile.ZipFile(bundle) as archive:
            entries = archive.infolist()
            _check(bundle, entries)
            _Unpacking(bundle, folder).write(archive, entries)
    except (OSError, *_DAMAGED) as error:
        _remove(folder)
        if isinstance(error, OSError) and error.filename and Path(error.filename).is_relative_to(folder):
            raise  # the disk below the folder, not the bundle
        reason = (isinstance(error, OSError) and error.strerror) or error
        hint = "name a file that weir bundle wrote"
        raise WeirError(f"cannot be read: {reason}", file=str(bundle), hint=hint, exit_code=2) from None
    except WeirError:
        _remove(folder)
        raise


def _remove(folder: Path) -> None:
    for entry in folder.iterdir() if folder.is_dir() else ():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _check(bundle: Path, entries: Iterable[zipfile.ZipInfo]) -> None:
    """Names and kinds, before anything is written."""
    seen: set[str] = set()
    for number, entry in enumerate(entries, 1):
        if number > MOST_ENTRIES:
            raise _refused(bundle, f"holds more than {MOST_ENTRIES:,} files")
        name, parts = entry.filename, PurePosixPath(entry.filename).parts
        if name in seen:
            raise _refused(bundle, f"holds a file twice: {name[:_LONGEST_PATH]}")
        seen.add(name)
        if name.startswith("/") or ".." in parts:
            raise _refused(bundle, f"holds a path that leads out of it: {name[:_LONGEST_PATH]}")
        if len(name) > _LONGEST_PATH or len(parts) > _DEEPEST or _CONTROL.search(name):
            raise _refused(bundle, f"holds a path that weir bundle never writes: {name[:100]}")
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG) or entry.is_dir():
            raise _refused(bundle, f"holds what is not a file: {name}")


class _Unpacking:
    """Counts what really comes out: sizes in the headers may be wrong."""

    def __init__(self, bundle: Path, folder: Path) -> None:
        self.bundle = bundle
        self.folder = folder
        self.left_bytes = FREE_BYTES_OF_ALL + MOST_RATIO_OF_ALL * bundle.stat().st_size

    def write(self, archive: zipfile.ZipFile, entries: Iterable[zipfile.ZipInfo]) -> None:
        for entry in entries:
            path = self.folder / entry.filename
            path.parent.mkdir(parents=True, exist_ok=True)
            left_bytes = FREE_BYTES + MOST_RATIO * entry.compress_size
            with archive.open(entry) as source, path.open("xb") as goal:
                while chunk := source.read(_CHUNK_BYTES):
                    left_bytes -= len(chunk)
                    self.left_bytes -= len(chunk)
                    self._check(entry, left_bytes)
                    goal.write(chunk)

    def _check(self, entry: zipfile.ZipInfo, left_bytes: int) -> None:
        if left_bytes < 0:
            packed = about_size(entry.compress_size)
            raise _refused(
                self.bundle, f"{entry.filename}: {packed} unpack to more than {MOST_RATIO} times that"
            )
        if self.left_bytes < 0:
            raise _refused(self.bundle, f"unpacks to more than {MOST_RATIO_OF_ALL} times its size")


def _refused(bundle: Path, message: str) -> WeirError:
    hint = "weir bundle writes no such file: get it again, or from somebody else"
    return WeirError(message, file=str(bundle), hint=hint, exit_code=2)
