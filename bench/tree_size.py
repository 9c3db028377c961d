"""Writes bench/results/tree_size.csv: lines of code by part, before and now.

Lines of files that exist at both commits show what the same features take; new files are features of their
own, or parts of what was split. Links, data, documents and goldens do not count.

  python bench/tree_size.py [BEFORE [AFTER]]
  python bench/tree_size.py --commits BEFORE   prints the sums of what shrank and what grew the code since
"""

import csv
import subprocess
import sys
from collections import defaultdict
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
BEFORE = "fcb34ccc"
CODE = {".c", ".h", ".cmake", ".js", ".py", ".R", ".sh", ".tex", ".yaml", ".yml", ".css", ""}
HEAD = (
    "part",
    "files before",
    "lines before",
    "the same files now",
    "removed",
    "new",
    "files now",
    "lines now",
)


def git(*arguments: str, text: bytes = b"") -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, input=text, capture_output=True, check=True).stdout


def lines_of_code(commit: str) -> dict[str, int]:
    """The lines of code of each file of a commit."""
    entries = [line.split("\t") for line in git("ls-tree", "-r", commit).decode().splitlines()]
    names = {name: entry.split()[2] for entry, name in entries if entry[:6] != "120000" and part_of(name)}
    text, at, lines = git("cat-file", "--batch", text="\n".join(names.values()).encode()), 0, {}
    for name in names:
        begin = text.index(b"\n", at) + 1
        at = begin + int(text[at:begin].split()[2])
        lines[name] = text.count(b"\n", begin, at)
        at += 1
    return lines


def part_of(name: str) -> str | None:
    path = PurePosixPath(name)
    top = path.parts[0]
    if path.suffix not in CODE or "golden" in path.parts or (path.suffix == "" and top in ("docs", "tests")):
        return None
    if top == "tests" or path.parts[:2] == ("analysis", "tests"):
        return "tests"
    if top == "src" and len(path.parts) > 2:
        return f"src/{path.parts[1]}"
    return top if top in ("weir", "analysis", "config", "bench") else "others"


def table(before: dict[str, int], after: dict[str, int]) -> list[list[str]]:
    parts: dict[str, list[int]] = defaultdict(lambda: [0] * (len(HEAD) - 1))
    for name in sorted({*before, *after}):
        was, now = before.get(name), after.get(name)
        both = was is not None and now is not None
        row = (
            int(was is not None), was or 0, (now or 0) if both else 0, 0 if both else was or 0,
            0 if both else now or 0, int(now is not None), now or 0,
        )  # fmt: skip
        part = part_of(name) or "others"
        for key in (part,) if part in ("tests", "bench") else (part, "product"):
            parts[key] = [one + other for one, other in zip(parts[key], row, strict=True)]
    order = sorted(parts, key=lambda key: (key in ("product", "bench", "tests"), key == "tests", key))
    return [[part, *map(str, parts[part])] for part in order]


def print_commits(before: str) -> None:
    """Commits that leave less of product or tests do the work of a smaller house, the others add
    features and cases."""
    log = git("log", "--no-merges", "--no-renames", "--numstat", "--format=%x00", f"{before}..HEAD").decode()
    for wanted in ("product", "tests"):
        grown: dict[bool, list[int]] = {False: [], True: []}
        for commit in log.split("\0")[1:]:
            lines = 0
            for added, removed, name in (line.split("\t") for line in commit.split("\n") if line.strip()):
                part = part_of(name)
                if added != "-" and part not in (None, "bench") and (part == "tests") is (wanted == "tests"):
                    lines += int(added) - int(removed)
            grown[lines > 0].append(lines)
        print(f"{wanted}: {sum(grown[False])} by {len(grown[False])} commits, +{sum(grown[True])} by others")


def main(before: str = BEFORE, after: str = "HEAD") -> None:
    with (ROOT / "bench/results/tree_size.csv").open("w", newline="") as file:
        rows = table(lines_of_code(before), lines_of_code(after))
        csv.writer(file, lineterminator="\n").writerows([HEAD, *rows])


if __name__ == "__main__":
    print_commits(sys.argv[2]) if sys.argv[1:2] == ["--commits"] else main(*sys.argv[1:])
