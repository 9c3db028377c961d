"""SHA256SUMS of a study: its tables, its plan and every run.json, which holds the sums of the raw outputs.

`sha256sum -c SHA256SUMS` checks the file without weir. The digest of the study is the SHA-256 of this file. A
signature of it by ssh-keygen proves who collected the study, where checksums alone are not enough.
"""

import hashlib
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from weir.base.errors import WeirError
from weir.base.files import file_sha256, from_json, json_of, write_atomically
from weir.runs.files import RUN_FILE
from weir.runs.ledger import LEDGER, is_copy, ledger_of

MANIFEST = "SHA256SUMS"
# facts.json holds the digest, so it cannot be part of what the digest covers.
TABLES = ("excluded.csv", "latencies.csv")
_WITHOUT_SUM = (MANIFEST, "facts.json", "intervals.csv", "io500.csv", "logs.html")


def manifest_text(folder: Path, files: Iterable[Path], sums: Mapping[str, str] | None = None) -> str:
    """A line for each file, with its path as seen from the folder, in the order of the paths.

    sums: the SHA-256 of more files, by their paths as seen from the folder; a file among them is not read."""
    named = dict(sums or {})
    for file in files:
        name = os.path.relpath(file, folder)
        if name not in named:
            named[name] = file_sha256(file)
    return "".join(f"{named[name]}  {name}\n" for name in sorted(named))


def write_manifest(
    folder: Path, records: str, files: Iterable[Path] = (), sums: Mapping[str, str] | None = None
) -> str:
    """SHA256SUMS beside the tables of a study, of these and the other files; the digest of the study.

    sums: as in manifest_text."""
    tables = [folder / name for name in (records, *TABLES)]
    text = manifest_text(folder, [*tables, *files], sums)
    write_atomically(folder / MANIFEST, text)
    return digest_of(text)


def files_of_study(folder: Path) -> frozenset[str]:
    """Names in the folder that collect or import wrote, by its manifest; none without one of weir."""
    try:
        _, sums = read_manifest(folder)
    except (WeirError, UnicodeDecodeError):
        return frozenset()
    here = {name for name in sums if "/" not in name}
    return frozenset({*here, *_WITHOUT_SUM}) if here.issuperset(TABLES) else frozenset()


OTHER_SUM = "the table was edited after it was collected"


def doubt_of(table: Path) -> str:
    """Why no sum vouches for a table, which may be a copy of one that was edited; empty where one does."""
    sums = read_manifest(table.parent)[1] if (table.parent / MANIFEST).is_file() else {}
    if table.name not in sums:
        return f"no sum beside the table ({MANIFEST}) is of it"
    return "" if sums[table.name] == file_sha256(table) else OTHER_SUM


def is_edited(table: Path) -> bool:
    """Whether the manifest beside a table has another sum of it; no, where there is none."""
    return doubt_of(table) == OTHER_SUM


def digest_of(text: str) -> str:
    """The digest of a study, from the text of its manifest."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_manifest(folder: Path) -> tuple[str, Mapping[str, str]]:
    """The text of SHA256SUMS, and the sum of each path in it."""
    path = folder / MANIFEST
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        hint = (
            "name the directory of a study, such as results/local/quick, or collect it: weir collect --help"
        )
        raise WeirError(f"cannot be read: {error.strerror}", file=str(path), hint=hint, exit_code=2) from None
    except UnicodeDecodeError:
        raise WeirError("is damaged: it is not text", file=str(path), hint="get the study again") from None
    sums: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        checksum, gap, name = line.partition("  ")
        if not gap or len(checksum) != 64 or not name.isprintable():
            hint = "a line holds a SHA-256, two blanks and a path"
            raise WeirError("is damaged", file=str(path), line=number, hint=hint)
        sums[name] = checksum
    return text, sums


NAMESPACE = "weir-study"
SIGNATURE = f"{MANIFEST}.sig"
_FORM = 'its lines are NAME KEY: echo "NAME $(cat KEY.pub)" >FILE; see man ssh-keygen, ALLOWED SIGNERS'


def sign(study: Path, key: Path) -> Path:
    """Sign the manifest with a private SSH key, or the public key of one in the agent."""
    signature = study / SIGNATURE
    signature.unlink(missing_ok=True)
    _ssh_keygen("sign", "-f", str(key), "-n", NAMESPACE, str(study / MANIFEST))
    return signature


def signer(study: Path, allowed_signers: Path) -> str:
    """The allowed signer who signed the manifest."""
    signature = study / SIGNATURE
    if not allowed_signers.is_file():
        raise WeirError(
            "there is no such file of signers", file=str(allowed_signers), hint=_FORM, exit_code=2
        )
    if not signature.is_file():
        hint = "sign it: weir verify STUDY --sign ~/.ssh/id_ed25519"
        raise WeirError("there is no signature", file=str(signature), hint=hint)
    found = _ssh_keygen("find-principals", "-s", str(signature), "-f", str(allowed_signers))
    name = found.splitlines()[0].strip()
    arguments = ("-s", str(signature), "-f", str(allowed_signers), "-n", NAMESPACE, "-I", name)
    _ssh_keygen("verify", *arguments, text=(study / MANIFEST).read_bytes())
    return name


def _ssh_keygen(action: str, *arguments: str, text: bytes = b"") -> str:
    try:
        done = subprocess.run(
            ["ssh-keygen", "-Y", action, *arguments], input=text, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise WeirError("ssh-keygen is missing", hint="install OpenSSH 8.2 or newer") from None
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).decode(errors="replace").split("\n")
        message = "; ".join(filter(None, map(str.strip, lines))) or "no message"
        hint = "name the key that ssh-keygen -t ed25519 made" if action == "sign" else _FORM
        raise WeirError(f"ssh-keygen -Y {action} failed: {message}", hint=hint)
    return done.stdout.decode(errors="replace")


COPY_HINT = f"to compare them, too, copy runs/ and {LEDGER} to the directory above the study"
EDITED, DELETED, ADDED = "edited", "deleted", "added"


@dataclass(frozen=True)
class Difference:
    """One file that is not as it was collected."""

    kind: str
    path: str  # as seen from the study

    def __str__(self) -> str:
        return f"{self.kind}: {self.path}"


@dataclass(frozen=True)
class Verified:
    """The outcome: files compared, differences, and the digest of the manifest."""

    files: int
    differences: tuple[Difference, ...]
    digest: str
    copied: bool = False  # the tables alone are here, elsewhere than where they were collected

    def _absent_runs(self) -> tuple[Difference, ...]:
        """The runs of a copy are one difference, with what to copy, and not one for each file."""
        deleted = (one for one in self.differences if one.kind == DELETED and self.copied)
        return tuple(one for one in deleted if Path(one.path).name == RUN_FILE)

    def beside_absent_runs(self) -> tuple[Difference, ...]:
        absent = self._absent_runs()
        return tuple(one for one in self.differences if one not in absent)

    def absent_text(self) -> str:
        """That this is a copy without its runs; empty if it is not."""
        count = len(self._absent_runs())
        return f"the {count} runs are not here: this is a copy of the tables of the study" if count else ""


def verify(study: Path) -> Verified:
    """Compare all files that the manifest and the run files name, and look for files that none names."""
    text, sums = read_manifest(study)
    digest = digest_of(text)
    found = [_compared(study, name, checksum) for name, checksum in sums.items()]
    runs = [name for name in sums if Path(name).name == RUN_FILE]
    files = len(sums)
    for name in runs:
        outputs = _outputs_of(study / name)
        files += len(outputs)
        parent = Path(name).parent
        found += [_compared(study, str(parent / output), checksum) for output, checksum in outputs.items()]
        found += _added_files(study, parent, {*outputs, RUN_FILE})
    found += _added_runs(study, runs)
    found += _facts_differ(study, digest)
    found += [Difference(EDITED, f"../{LEDGER}")] if ledger_of(study, sums)[1] else []
    differences = sorted(filter(None, found), key=lambda item: (item.path, item.kind))
    return Verified(files, tuple(differences), digest, is_copy(study, sums))


def _compared(study: Path, name: str, checksum: str) -> Difference | None:
    file = study / name
    if not file.is_file():
        return Difference(DELETED, name)
    return None if file_sha256(file) == checksum else Difference(EDITED, name)


def _outputs_of(run_file: Path) -> Mapping[str, str]:
    """The sums in a run.json; none where it is gone or unreadable, which is a difference already."""
    document = json_of(run_file)
    outputs = document.get("sha256") if isinstance(document, dict) else None
    return outputs if isinstance(outputs, dict) else {}


def _added_files(study: Path, folder: Path, known: set[str]) -> Iterator[Difference]:
    """Raw outputs that no run.json names; a run has a number as its name, nothing else is walked."""
    here = study / folder
    for file in sorted(here.rglob("*")) if folder.name.isdigit() and here.is_dir() else ():
        name = str(file.relative_to(here))
        if file.is_file() and name not in known:
            yield Difference(ADDED, str(folder / name))


def _added_runs(study: Path, runs: list[str]) -> Iterator[Difference]:
    """Executions of these cells that were not collected; attempts that were set aside have other names."""
    known = set(runs)
    for cell in sorted({Path(name).parent.parent for name in runs}):
        for file in (study / cell).glob(f"*/{RUN_FILE}"):
            name = str(cell / file.parent.name / RUN_FILE)
            if file.parent.name.isdigit() and name not in known:
                yield Difference(ADDED, name)


def _facts_differ(study: Path, digest: str) -> Iterator[Difference]:
    """facts.json repeats the digest for the report."""
    file = study / "facts.json"
    try:
        printed = from_json(file.read_text(encoding="utf-8")).get("digest")
    except FileNotFoundError:
        yield Difference(DELETED, file.name)
        return
    except (OSError, ValueError, AttributeError):
        printed = None
    if printed != digest:
        yield Difference(EDITED, file.name)
