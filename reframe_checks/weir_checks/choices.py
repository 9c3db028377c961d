"""The requests to the checks: by -S on ReFrame's command line, else by variables of the environment.

ReFrame gives a test its variables after it has made the test's parameters, and here the parameters are the
batches of a plan, which depends on the site and the scale. So the command line is read first; a value that
ReFrame sets later (such as by one of its modes) is compared with it and refused.
"""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

# A job of a generated pipeline knows by it what was requested when the pipeline was made.
VARIABLE = "WEIR_CHECKS"
# Until weir 0.4; weir plan and snakemake read those of the first five keys as well.
ALIASES = {
    "site": "WEIR_SITE",
    "suite": "WEIR_SUITES",
    "target": "WEIR_TARGETS",
    "stack": "WEIR_STACKS",
    "scale": "WEIR_SCALE",
    "results": "WEIR_RESULTS",
    "reference_file": "WEIR_REFERENCE",
}
LISTS = ("suite", "target", "stack")


@dataclass(frozen=True)
class Choices:
    """Empty: everything, or the default."""

    site: str = ""
    suite: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    stack: tuple[str, ...] = ()
    scale: str = ""
    results: str = ""
    reference_file: str = ""

    @property
    def as_variable(self) -> str:
        return json.dumps({name: value for name, value in asdict(self).items() if value})


def choices(arguments: Sequence[str], environment: Mapping[str, str]) -> Choices:
    """The choices of a pipeline's job, of the aliases, and of the command line; the last one counts.

    A list that is requested for one check (-S measure.suite=quick) limits that check alone, when it is made.
    """
    found: dict[str, object] = json.loads(environment.get(VARIABLE, "{}"))
    found |= {name: environment[alias] for name, alias in ALIASES.items() if environment.get(alias)}
    for test, name, value in requested_variables(arguments):
        if name in ALIASES and not (test and name in LISTS):
            found[name] = value
    return Choices(**{name: _typed(name, value) for name, value in found.items()})


def requested_variables(arguments: Sequence[str]) -> list[tuple[str, str, str]]:
    """Test (empty: every test), variable and value of each -S."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("-S", "--setvar", action="append", default=[])
    given, _ = parser.parse_known_args([each for each in arguments if each != "--"])
    triples = []
    for setting in given.setvar:
        left, _, value = setting.partition("=")
        test, _, name = left.rpartition(".")
        triples.append((test, name, value))
    return triples


def for_a_job(arguments: Sequence[str]) -> str:
    """The -S of a pipeline that its jobs need beside VARIABLE, for the shell: ReFrame gives them none."""
    others = [each for each in requested_variables(arguments) if each[0] or each[1] not in ALIASES]
    return shlex.join(f"-S{test}{'.' * bool(test)}{name}={value}" for test, name, value in others)


def _typed(name: str, value: object) -> object:
    if name not in LISTS:
        return value
    return names_in(value.split(",") if isinstance(value, str) else value)


def names_in(items: Iterable[str]) -> tuple[str, ...]:
    """The names without blanks around them, and without empty ones: ReFrame keeps both."""
    return tuple(item.strip() for item in items if item.strip())


CHOSEN = choices(sys.argv[1:], os.environ)
