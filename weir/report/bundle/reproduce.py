"""weir reproduce: collects and draws the study of a bundle again, and compares the files.

The code is that of the bundle, in a process of its own. A bundle is unpacked into an empty folder: what it
may hold is bounded, and checked while it is unpacked. A drawn PDF contains when it was made, its only content
that differs from one drawing to the next: that is taken out.
"""

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath

from weir.base.errors import InputError, WeirError
from weir.base.files import file_sha256
from weir.base.units import about_size
from weir.records.model import grouped
from weir.report.bundle.appendix import ClaimLine, claim_lines
from weir.runs.manifest import MANIFEST, TABLES, Difference, Verified, digest_of, read_manifest, verify


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
        raise InputError("is not empty", file=folder, key="--out", hint="name a new directory")
    unpack(bundle, folder)
    found = differences_of_bundle(folder)
    if found:
        raise WeirError(f"is not as it was written: {found[0]}", file=bundle, hint="get the bundle again")
    return _study_in(folder)


def _study_in(folder: Path) -> Path:
    studies = sorted((folder / "results").glob(f"*/*/{MANIFEST}"))
    if len(studies) != 1:
        raise WeirError(f"holds {len(studies)} studies instead of one", file=folder)
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


def _lines(study: Path) -> list[ClaimLine]:
    return claim_lines(study) if (study / "page.json").is_file() else []


def checked(expected: list[ClaimLine], found: list[ClaimLine]) -> tuple[CheckedLine, ...]:
    """Each line that was expected, with what stands there now, and each that is new."""
    now = grouped((line.claim, line.expected) for line in found)
    lines = []
    for one in expected:
        values = now.get(one.claim, ["none"])
        value = one.expected if one.expected in values else values[-1]
        lines.append(CheckedLine(one.claim, one.file, one.expected, value))
    before = {line.claim for line in expected}
    new = (one for one in found if one.claim not in before)
    return (*lines, *(CheckedLine(one.claim, one.file, "none", one.expected) for one in new))


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
            _check(bundle, archive.infolist())
            _write(bundle, folder, archive)
    except (OSError, *_DAMAGED) as error:
        _remove(folder)
        if isinstance(error, OSError) and error.filename and Path(error.filename).is_relative_to(folder):
            raise  # the disk below the folder, not the bundle
        reason = (isinstance(error, OSError) and error.strerror) or error
        hint = "name a file that weir bundle wrote"
        raise InputError(f"cannot be read: {reason}", file=bundle, hint=hint) from None
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


def _write(bundle: Path, folder: Path, archive: zipfile.ZipFile) -> None:
    """Counts what really comes out: sizes in the headers may be wrong."""
    left_of_all_bytes = FREE_BYTES_OF_ALL + MOST_RATIO_OF_ALL * bundle.stat().st_size
    for entry in archive.infolist():
        path = folder / entry.filename
        path.parent.mkdir(parents=True, exist_ok=True)
        left_bytes = FREE_BYTES + MOST_RATIO * entry.compress_size
        with archive.open(entry) as source, path.open("xb") as goal:
            while chunk := source.read(_CHUNK_BYTES):
                left_bytes -= len(chunk)
                left_of_all_bytes -= len(chunk)
                if left_bytes < 0:
                    packed = f"{entry.filename}: {about_size(entry.compress_size)}"
                    raise _refused(bundle, f"{packed} unpack to more than {MOST_RATIO} times that")
                if left_of_all_bytes < 0:
                    raise _refused(bundle, f"unpacks to more than {MOST_RATIO_OF_ALL} times its size")
                goal.write(chunk)


def _refused(bundle: Path, message: str) -> WeirError:
    hint = "weir bundle writes no such file: get it again, or from somebody else"
    return InputError(message, file=bundle, hint=hint)


_DATE = re.compile(rb"(/(?:CreationDate|ModDate) )(\([^)]*\))")
_STREAM = re.compile(rb"(.*?)stream\r?\n(.*)\r?\nendstream", re.DOTALL)
_IN_FILE, _IN_OBJECT = 1, 2  # kinds of entries in a table of objects


def without_date(pdf: bytes) -> bytes:
    """The same document for the same drawing. A date of the same length keeps the offsets of objects."""
    plain = _unpacked(pdf) if b"/ObjStm" in pdf else pdf
    return _DATE.sub(lambda match: match[1] + re.sub(rb"[0-9]", b"0", match[2]), plain)


def _unpacked(pdf: bytes) -> bytes:
    """The PDF without compressed objects, among which cairo writes the date since 1.18."""
    table_at = int(pdf[pdf.rindex(b"startxref") :].split()[1])
    header, table = _stream(pdf[table_at:])
    kinds = _entries(header, table)
    offsets = sorted(offset for kind, offset in kinds.values() if kind == _IN_FILE)
    ends = dict(pairwise([*offsets, len(pdf)]))
    written = {number: pdf[at : ends[at]] for number, (kind, at) in kinds.items() if kind == _IN_FILE}
    written = {number: text for number, text in written.items() if b"/Type /XRef" not in text}
    for number in {holder for kind, holder in kinds.values() if kind == _IN_OBJECT}:
        holder = written.pop(number)
        written.pop(_number(rb"/Length (\d+) 0 R", holder), None)  # an object that holds the length alone
        written |= _held(holder)
    return _assembled(pdf[: offsets[0]], written, re.findall(rb"/(?:Root|Info) \d+ 0 R", header))


def _stream(text: bytes) -> tuple[bytes, bytes]:
    found = _STREAM.match(text)
    assert found, "an object of a PDF without its stream"
    return found[1], zlib.decompressobj().decompress(found[2])


def _number(pattern: bytes, text: bytes) -> int:
    found = re.search(pattern, text)
    return int(found[1]) if found else -1


def _entries(header: bytes, table: bytes) -> dict[int, tuple[int, int]]:
    """Number of an object to its kind, and to its offset or the object that holds it."""
    widths = re.search(rb"/W \[ ?(\d+) (\d+) (\d+) ?\]", header)
    assert widths, "a table of objects without the widths of its columns"
    kind, place, rest = map(int, widths.groups())
    rows = [table[at : at + kind + place] for at in range(0, len(table), kind + place + rest)]
    return {
        number: (int.from_bytes(row[:kind]), int.from_bytes(row[kind:])) for number, row in enumerate(rows)
    }


def _held(holder: bytes) -> dict[int, bytes]:
    header, text = _stream(holder)
    first = _number(rb"/First (\d+)", header)
    numbers = [int(word) for word in text[:first].split()]
    starts = [*numbers[1::2], len(text) - first]
    parts = [text[first + start : first + end].strip() for start, end in pairwise(starts)]
    return {
        number: b"%d 0 obj\n%b\nendobj\n" % (number, part)
        for number, part in zip(numbers[::2], parts, strict=True)
    }


def _assembled(head: bytes, objects: dict[int, bytes], roots: list[bytes]) -> bytes:
    size = max(objects) + 1
    body, rows = bytearray(head), [b"0000000000 65535 f \n"]
    for number in range(1, size):
        if number in objects:
            rows.append(b"%010d 00000 n \n" % len(body))
            body += objects[number]
        else:
            rows.append(b"0000000000 00000 f \n")
    table = b"xref\n0 %d\n%b" % (size, b"".join(rows))
    trailer = b"trailer\n<< /Size %d %b >>\nstartxref\n%d\n%%%%EOF\n" % (size, b" ".join(roots), len(body))
    return bytes(body) + table + trailer


DRAWN = ("figures", "tables")
COLLECTED = ("records.csv", *TABLES)


def collected_again(code: Path, study: Path) -> list[str]:
    """Write the tables of the study anew from its runs; names of those that differ from what was there."""
    before = {name: (study / name).read_bytes() for name in COLLECTED}
    arguments = ["collect", "--plan", str(study / "plan.json"), "--out", str(study / "records.csv")]
    _call([sys.executable, "-m", "weir", *arguments], code)
    return [name for name in COLLECTED if (study / name).read_bytes() != before[name]]


def drawn_again(code: Path, study: Path) -> bool:
    """Draw figures and tables into the study; False where there is no R."""
    if not shutil.which("Rscript"):
        return False
    # A file that is not drawn again would be compared with itself.
    for name in DRAWN:
        shutil.rmtree(study / name, ignore_errors=True)
    arguments = ["study", str(study), "--with", f"published={code / 'reference' / 'published.csv'}"]
    _call(["Rscript", str(code / "analysis" / "draw.R"), *arguments], code)
    for file in (study / "figures").glob("*.pdf"):
        file.write_bytes(without_date(file.read_bytes()))
    return True


def _call(arguments: list[str], code: Path) -> None:
    kept: Mapping[str, str] = {
        name: value for name, value in os.environ.items() if not name.startswith("WEIR_")
    }
    # The bundle's weir first; behind it what it imports, which `spack load` names there.
    path = os.pathsep.join(filter(None, (str(code), os.environ.get("PYTHONPATH"))))
    environment = {**kept, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(arguments, cwd=code, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        message = " ".join((done.stderr or done.stdout).split()[:60]) or "no message"
        raise WeirError(f"{Path(arguments[0]).name} failed: {message}", file=code)
