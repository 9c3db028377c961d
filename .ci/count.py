"""Adds up the results of the test runners, lists skipped and failed tests, ends with one line for scripts."""

import sys
import textwrap
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

USE = "use: .ci/count.py RESULTS... (.xml: JUnit of pytest; .tsv: of .ci/testthat.R and .ci/step)"


class Outcome(NamedTuple):
    """The end of one test; word is passed, failed or skipped."""

    word: str
    name: str
    reason: str = ""


def from_junit(path: Path) -> Iterator[Outcome]:
    for case in ElementTree.parse(path).iter("testcase"):
        name = "::".join(part for part in (case.get("classname"), case.get("name")) if part)
        told = {child.tag: (child.get("message") or "").strip() for child in case}
        if "failure" in told or "error" in told:
            yield Outcome("failed", name, told.get("failure") or told.get("error", ""))
        elif "skipped" in told:
            yield Outcome("skipped", name, told["skipped"])
        else:
            yield Outcome("passed", name)


def from_table(path: Path) -> Iterator[Outcome]:
    for line in path.read_text().splitlines():
        word, name, reason = line.split("\t")
        yield Outcome(word, name, reason)


def outcomes(path: Path) -> list[Outcome]:
    """A runner that left nothing behind has failed, however it exited."""
    try:
        found = list(from_junit(path) if path.suffix == ".xml" else from_table(path))
    except (OSError, ElementTree.ParseError, ValueError) as error:
        return [Outcome("failed", path.name, f"the runner left no readable results: {error}")]
    return found or [Outcome("failed", path.name, "the runner found no tests")]


def name_on(file: Path, files: list[Path], name: str) -> str:
    """The name of a test; with the folder of its results, where several machines ran tests."""
    return name if len({each.parent for each in files}) == 1 else f"{file.parent.name}: {name}"


def first_line(reason: str) -> str:
    """The runner's own output above has the rest."""
    return textwrap.shorten((reason.splitlines() or ["no reason given"])[0], 160)


def main(paths: list[str]) -> int:
    if not paths:
        print(USE, file=sys.stderr)
        return 2
    files = [Path(path) for path in paths]
    everything = [
        outcome._replace(name=name_on(file, files, outcome.name))
        for file in files
        for outcome in outcomes(file)
    ]
    for word in ("skipped", "failed"):
        for outcome in everything:
            if outcome.word == word:
                print(f"{word}: {outcome.name}: {first_line(outcome.reason)}")
    count = {
        word: sum(outcome.word == word for outcome in everything) for word in ("passed", "failed", "skipped")
    }
    print(", ".join(f"{number} {word}" for word, number in count.items()))
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
