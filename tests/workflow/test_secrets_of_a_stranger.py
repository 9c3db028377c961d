"""weir bundle: none of 40 secrets that somebody invented who had not read the code is in a bundle.

secrets_of_a_stranger/ is theirs: a site, two suites, the variables of a shell, and two tables of the secrets,
where each one stands and what they expect: that it is removed, or that the author is told before.
"""

import base64
import csv
import html
import io
import json
import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

import pytest

from tests.workflow.conftest import ROOT, Checkout, copy_of_the_tree

STRANGER = Path(__file__).parent / "secrets_of_a_stranger"
SUITES = ("nachtlauf", "nachtlauf-fern")
pytestmark = pytest.mark.slow
# What the author tells weir to replace, having read what it keeps: prose, a search path, a host, and a value
# of the shell that a program printed.
WITHOUT = ("Sommerregen_2026", "nordlicht-b21", "mds07-gamma.intern.kiefer.example", "TANUKI")
# Two of the second table, of which the author can only be told: a password that is the name of an experiment,
# and a word in a value of one of weir's own variables.
STAYS = frozenset(("nachtlauf-q3", "vendorx-earlyaccess-kestrel"))
# What a line of the tables names beside its secret.
ALSO = {
    ("secrets", "25"): ("KIEFERline2vW8mPz0QtY7nB",),
    ("secrets", "30"): ("AKIAKIEFERBENCH00001",),
    ("bonus", "14"): ("0172-5550-1234",),
}


@dataclass(frozen=True)
class Secret:
    """A line of the tables; parts: further texts that it names."""

    number: str
    text: str
    is_told: bool  # the author expects a warning alone
    parts: tuple[str, ...]

    @property
    def forms(self) -> set[bytes]:
        """The secret as texts of other formats hold it."""
        found = {
            form
            for text in (self.text, *self.parts)
            for form in (text, html.escape(text), quote(text), quote(text, safe=""), unquote(text))
        }
        found |= {json.dumps(form)[1:-1] for form in found}
        found.add(base64.b64encode(self.text.encode()).decode())
        return {form.encode() for form in found}


def secrets_of(table: str) -> list[Secret]:
    with (STRANGER / f"{table}.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Secret(
            row["number"], row["secret"], row["expectation"] == "warn", ALSO.get((table, row["number"]), ())
        )
        for row in rows
    ]


SECRETS, BONUS = secrets_of("secrets"), secrets_of("bonus")


def variables_of_the_shell() -> dict[str, str]:
    """What their script exports."""
    text = (STRANGER / "environment.sh").read_text(encoding="utf-8")
    found = re.findall(r"(?:^export|(?<=\S)) ([A-Za-z_0-9]+)=('[^']*'|\S+)", text, re.MULTILINE)
    return {name: value.strip("'") for name, value in found}


@dataclass(frozen=True)
class Strange:
    """Their studies, measured; of each suite what `weir bundle` printed."""

    checkout: Checkout
    printed: dict[str, str]

    def weir(self, *arguments: str) -> str:
        return self.checkout.good(*arguments, environment=variables_of_the_shell())


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strange]:
    if not (ROOT / "build/weir-io").exists():
        pytest.skip("build/weir-io is missing: make build")
    checkout = copy_of_the_tree(tmp_path_factory.mktemp("strange"))
    folder = Path(f"/dev/shm/weir-strange-{os.getpid()}")
    folder.mkdir(mode=0o700)
    for file in (file for file in (STRANGER / "config").rglob("*") if file.is_file()):
        text = file.read_text(encoding="utf-8").replace("@FOLDER@", str(folder))
        checkout.write(f"config/{file.relative_to(STRANGER / 'config')}", text).chmod(file.stat().st_mode)
    found = Strange(checkout, {})
    try:
        for suite in SUITES:
            found.printed[suite] = measured_and_bundled(found, suite)
        yield found
    finally:
        shutil.rmtree(folder)


def measured_and_bundled(strange: Strange, suite: str) -> str:
    study = f"results/geheim/{suite}"
    chosen = ("--site", "geheim", "--suite", suite)
    strange.checkout.measure(study, *chosen, environment=variables_of_the_shell())
    figures = [] if suite == SUITES[0] else ["--no-figures"]
    withheld = [word for text in WITHOUT for word in ("--without", text)]
    strange.weir("bundle", study, "--out", f"{suite}-withheld.zip", *figures, *withheld)
    return strange.weir("bundle", study, "--out", f"{suite}.zip", *figures)


def contents(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of a file, of the members of an archive, and of each stream of a PDF or gzip file."""
    yield name, data
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.namelist():
                yield from contents(f"{name}/{member}", archive.read(member))
    if data.startswith(b"%PDF"):
        for number, stream in enumerate(re.findall(rb"stream\r?\n(.*?)endstream", data, re.DOTALL)):
            text = zlib.decompressobj().decompress(stream)
            # Words of a figure are drawn in parts, with the space between their letters.
            drawn = re.sub(rb"\)[ \-\d.]*\(", b"", text)
            yield f"{name}/{number}", text + b"\n" + drawn
    if data.startswith(b"\x1f\x8b"):
        yield f"{name}/unpacked", zlib.decompress(data, wbits=31)


def holds(bundle: Path, secrets: list[Secret]) -> dict[str, set[str]]:
    """The secrets that are in the bundle, with the members that hold them."""
    found: dict[str, set[str]] = {}
    for name, data in contents(bundle.name, bundle.read_bytes()):
        for secret in secrets:
            if any(form in data or form in name.encode() for form in secret.forms):
                found.setdefault(secret.text, set()).add(name)
    return found


def test_there_are_forty_and_the_studies_hold_what_their_author_says(strange: Strange) -> None:
    """A test of the test: the search finds them before the bundle."""
    assert len({secret.text for secret in SECRETS}) == 40
    root = strange.checkout.root
    data = b"\n".join(
        file.read_bytes()
        for part in ("config/sites/geheim", "config/suites", "results/geheim")
        for file in (root / part).rglob("*")
        if file.is_file()
    )
    shell = list(variables_of_the_shell().values())
    missing = [
        secret.number
        for secret in SECRETS
        if not any(form in data for form in secret.forms) and not any(secret.text in text for text in shell)
    ]
    assert missing == []
    printed = b"".join(file.read_bytes() for file in root.glob("results/geheim/runs/*/*/stderr.txt"))
    assert b"tnk.4be0.marmalade.19" in printed


@pytest.mark.parametrize("suite", SUITES)
def test_none_of_the_forty_is_in_the_bundle(strange: Strange, suite: str) -> None:
    """In no file, no member of an archive, no stream of a figure, in no form."""
    found = holds(strange.checkout.root / f"{suite}-withheld.zip", SECRETS)
    assert found == {}
    assert set(holds(strange.checkout.root / f"{suite}-withheld.zip", BONUS)) <= STAYS


@pytest.mark.parametrize("suite", SUITES)
def test_without_any_option_nothing_stays_that_its_author_is_not_told_of(
    strange: Strange, suite: str
) -> None:
    found = holds(strange.checkout.root / f"{suite}.zip", [*SECRETS, *BONUS])
    told = {secret.text for secret in (*SECRETS, *BONUS) if secret.is_told}
    assert set(found) <= told
    shown, names = (
        strange.printed[suite],
        {"tnk.4be0.marmalade.19": "TANUKI", "nachtlauf-q3": "BENCH_PASSWORD"},
    )
    assert [text for text in found if names.get(text, text) not in shown] == []


def test_the_code_of_the_bundle_is_that_of_the_checkout(strange: Strange) -> None:
    """`register`, an argument of a command of the site, was replaced in Python's names."""
    with zipfile.ZipFile(strange.checkout.root / f"{SUITES[0]}.zip") as archive:
        names = [name for name in archive.namelist() if re.fullmatch(r"code/.*\.(py|R)", name)]
        other = [
            name
            for name in names
            if archive.read(name) != (strange.checkout.root / name.removeprefix("code/")).read_bytes()
        ]
    assert len(names) > 400
    assert other == []


def test_it_is_reproduced(strange: Strange) -> None:
    root = strange.checkout.root
    done = strange.weir("reproduce", str(root / f"{SUITES[1]}.zip"), "--out", "again", "--trust", "--json")
    assert json.loads(done)["different"] == []
