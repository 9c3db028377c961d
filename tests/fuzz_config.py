"""Hostile suites, sites, targets and contracts: a plan or a message, in 1 s and 200 MiB each.

    python -m tests.fuzz_config [--inputs N] [--seed S] [--keep DIR]

The inputs are the shipped files. Values, keys and formulas of each are replaced with hostile ones, or its
text is cut, flipped and spliced. A plan of more than 2,000 combinations is refused here, so that a plan costs
no more than its file.
"""

import random
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import yaml

from tests.checkout import ROOT, SHIPPED_SITES, SHIPPED_SUITES, copy_shipped_config
from tests.fuzz_files import memory_limit
from tests.fuzzers import flipped, groups_of, keep_input, options, truncated
from weir.base.errors import WeirError
from weir.decide.accept.contract import read_contract
from weir.plan import make_plan
from weir.plan.config import load_config

CPU_S = 1.0
MEMORY_MIB = 200
_MOST_POINTS = 2_000
_PLACE = "HOSTILE-VALUE"  # raw YAML stands there in the end
_WORDS = (
    *("xfer", "xfer", "nodes", "ranks", "2", "16 KiB", "9223372036854775807", "-1", "0.5"),
    *("stonewall", "'disk'"),
    *("xfer", "api", "nodes", "ppn", "block", "target.kind", "target", "access", "sync", "1", "0", "1e999"),
    *("'POSIX'", "'%999999999d'", "8 MiB", "9" * 400, "(1, 2)", "[api]", "true", "__import__('os')", "None"),
    *("target.__class__", "'" + "x" * 500 + "'", "\u202e", "\x07", "99999999999 PiB"),
)
_SIGNS = ("*", "+", "-", "/", "//", "%", "**", "or", "and", "==", "in", "<", "if", "@", "<<", ",", ".", "=")
_RAW = (
    *("9" * 6000, "-" + "9" * 25, "1e999", "1e-999", ".inf", "0x10", "1_000", "~", "''", "[]", "{}", "[[]]"),
    *("[" * 3000, "[" * 25 + "]" * 25, "{a: " * 60, "*nowhere", "&a [*a]", "!!python/object:os.system {}"),
    *("!!binary AAAA", '"\\0"', '"\\e[31m"', '"\\uFFFE"', "x" * 100_000, "'9' * 9", "9" * 500 + " KiB"),
    *("[" + "1, " * 15_000 + "1]", "[" + "a, 1, " * 6_000 + "1]", "1 KiB", "-1", "0", "5000000000", "'5 %'"),
    *("{" + ", ".join(f"k{i}: {{}}" for i in range(3_000)) + "}", "10000000 d", "true", "1.5"),
    *("'('", "'a{1,99999999999}'"),
    "[&a [1, 1], &b [*a, *a], &c [*b, *b], &d [*c, *c], &e [*d, *d], &f [*e, *e, *e, *e, *e, *e, *e, *e]]",
)  # fmt: skip


@dataclass(frozen=True)
class Input:
    """A file of a configuration, seen from config/, with hostile content."""

    name: str
    text: bytes


@dataclass(frozen=True)
class Failure:
    """An input that broke something."""

    input: Input
    what: str


@cache
def corpus() -> tuple[Input, ...]:
    """The shipped files that anybody may write or send."""
    names = [f"suites/{suite}.yaml" for suite in SHIPPED_SUITES]
    names += [f"sites/{site}/site.yaml" for site in SHIPPED_SITES]
    for site, (targets, _) in SHIPPED_SITES.items():
        names += [f"sites/{site}/targets/{target}.yaml" for target in targets]
    names += [f"contracts/{file.name}" for file in sorted((ROOT / "config/contracts").glob("*.yaml"))]
    return tuple(Input(name, (ROOT / "config" / name).read_bytes()) for name in names)


def mutants(count: int, seed: int) -> Iterator[Input]:
    """So many inputs; the same ones for the same seed and corpus."""
    chance = random.Random(seed)
    for _ in range(count):
        chosen = chance.choice(corpus())
        text = _other_values(chosen.text, chance) if chance.random() < 0.8 else chosen.text
        if text is chosen.text or chance.random() < 0.2:
            text = chance.choice((truncated, flipped, _spliced, _line_repeated))(text, chance)
        yield Input(chosen.name, text)


def _other_values(text: bytes, chance: random.Random) -> bytes:
    data = yaml.load(text, Loader=yaml.CSafeLoader)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        _change(data, chance)
    written: str = yaml.dump(data, Dumper=yaml.CSafeDumper, sort_keys=False, width=10_000, allow_unicode=True)
    while _PLACE in written:
        written = written.replace(_PLACE, chance.choice(_RAW), 1)
    return written.encode("utf-8", errors="replace")


def _change(data: Any, chance: random.Random) -> None:
    """One value, key or formula somewhere in it."""
    groups = [group for group in groups_of(data) if group]
    computed = [group for group in groups if isinstance(group, dict) and group.keys() & {"exclude", "block"}]
    group = chance.choice(computed if computed and chance.random() < 0.5 else groups)
    key = chance.choice([*group] if isinstance(group, dict) else range(len(group)))
    change = chance.randrange(6)
    if change == 0 and isinstance(group, dict):
        group[chance.choice((_PLACE, "\x1b[31m", "k" * 150, "", *_WORDS[:6]))] = group.pop(key)
    elif change == 1:
        del group[key]
    elif change == 2:
        group[key] = [group[key]] * chance.choice((2, 50))
    elif isinstance(group, dict) and "exclude" in group:
        group["exclude"] = _formula(chance)
    elif change == 3 or (isinstance(group, dict) and "block" in group):
        group[key] = f"= {_formula(chance)}"
    else:
        group[key] = _PLACE


def _formula(chance: random.Random) -> str:
    parts = [chance.choice(_WORDS)]
    for _ in range(chance.choice((0, 1, 2, 5, 30, 3000))):
        parts += [chance.choice(_SIGNS), chance.choice(_WORDS)]
    text = " ".join(parts)
    return chance.choice((text, f"max({text})", f"not {text}", "(" * 60 + text + ")" * 60, "- " * 50 + text))


def _spliced(text: bytes, chance: random.Random) -> bytes:
    other = chance.choice(corpus()).text
    return text[: chance.randint(0, len(text))] + other[chance.randint(0, len(other)) :]


def _line_repeated(text: bytes, chance: random.Random) -> bytes:
    lines = text.split(b"\n")
    place = chance.randrange(len(lines))
    return b"\n".join([*lines[:place], *[lines[place]] * chance.choice((1, 20, 5000)), *lines[place:]])


def read(root: Path, name: str) -> None:
    """Use the file as weir does: suites and sites are planned, contracts read."""
    part, folder = name.split("/")[:2]
    if part == "contracts":
        read_contract(root / "config" / name)
        return
    suite = Path(name).stem if part == "suites" else "quick"
    site = "local" if part == "suites" else folder
    make_plan(load_config(root=root, overrides={"site": site, "suites": [suite]}, environment={}))


def failure_of(
    given: Input, root: Path, use: Callable[[Path, str], None] = read, cpu_s: float = CPU_S
) -> Failure | None:
    """What goes wrong with one input in this copy of the configuration; an error with a message is right."""
    file = root / "config" / given.name
    original = file.read_bytes()
    file.write_bytes(given.text)
    began_s = time.process_time()
    what = None
    try:
        with memory_limit(MEMORY_MIB):
            use(root, given.name)
    except WeirError as error:
        what = None if str(error) else "an error without a message"
    except Exception:
        what = traceback.format_exc()
    finally:
        file.write_bytes(original)
    took_s = time.process_time() - began_s
    if what is None and took_s > cpu_s:
        what = f"took {took_s:.1f} s for {len(given.text)} bytes"
    return Failure(given, what) if what else None


def run(count: int, seed: int, keep: Path | None = None, cpu_s: float = CPU_S) -> list[Failure]:
    """The failures of so many inputs, each kept as a file."""
    failures = []
    with tempfile.TemporaryDirectory(prefix="weir-fuzz-") as name:
        copy_shipped_config(Path(name))
        read(Path(name), "suites/quick.yaml")  # what is imported once costs no input its time
        with mock.patch("weir.plan.make.MOST_POINTS", _MOST_POINTS):
            for given in mutants(count, seed):
                failure = failure_of(given, Path(name), cpu_s=cpu_s)
                if failure:
                    failures.append(failure)
                    name_of_file = given.name.replace("/", "-")
                    keep_input(keep, f"{seed}-{len(failures):04d}-{name_of_file}", given.text)
    return failures


def main() -> int:
    args = options(__doc__, inputs=10_000)
    failures = run(args.inputs, args.seed, args.keep)
    for failure in failures:
        print(f"{failure.input.name}: {failure.what}\n")
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{args.inputs} inputs, {len(failures)} failures, peak {peak_mib} MiB")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
