"""The command line: `weir plan | run | collect | ...`, one module of weir/commands each."""

import argparse
import contextlib
import importlib
import json
import os
import pkgutil
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn, Protocol, cast

import weir
import weir.commands
from weir.base.errors import WeirError, did_you_mean, error_data, from_os_error, visible_output
from weir.base.files import expanded, require_file
from weir.base.options import Parser
from weir.base.plugins import require_docstrings, unusable_package
from weir.base.processes import EXIT_INTERRUPTED
from weir.base.storage_calls import in_time

EXIT_FAILED = 1
EXIT_WRONG_USE = 2
EXIT_NO_ANSWER = 3  # a verb whose 1 is an answer has none
_PROCESS = Path("/proc/self/fd")  # in_time needs it


# The groups of `weir --help`, in this order.
GROUPS = {
    "measure": "measure a storage",
    "prove": "see what a number is worth",
    "decide": "decide by records",
    "publish": "publish and repeat a study",
}
_OPTION = re.compile(r"-[-\w]+")


class Command(Protocol):
    """The names that a module of weir/commands defines; also EXIT_1, the meaning of exit code 1, if 1 is an
    answer of the verb."""

    NAME: str
    GROUP: str
    HELP: str
    EXAMPLE: str

    def add_arguments(self, parser: Parser) -> None: ...

    def execute(self, args: argparse.Namespace) -> int: ...


class _Parser(Parser):
    """The message first, then the usage of the verb that it is about."""

    def error(self, message: str) -> NoReturn:
        choices = re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message)
        if choices:
            known = choices[2].replace("'", "").split(", ")
            message = f"there is no '{choices[1]}'; {did_you_mean(choices[1], known)}"
        usage = "" if self.verbs else self.format_usage()  # all verbs are no help
        self.exit(EXIT_WRONG_USE, f"{self.prog}: {message}\n{usage}    see: {self.prog} --help\n")

    @property
    def verbs(self) -> dict[str, "_Parser"]:
        """The sub-commands of this parser."""
        found = (one.choices for one in self._actions if isinstance(one, argparse._SubParsersAction))
        return {name: cast(_Parser, parser) for choices in found for name, parser in choices.items()}

    def parsed(self, given: Sequence[str]) -> argparse.Namespace:
        """Parses like parse_args; the verb that does not know an option refuses it."""
        args, unknown = self.parse_known_args(given)
        if unknown:
            verb = self.verbs[args.command]
            verb.verbs.get(getattr(args, "action", ""), verb).refuse(unknown)
        return args

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Refuses options with the nearest known one as a hint, if one is near."""
        known = [name for one in self._actions for name in one.option_strings]
        near = (did_you_mean(name[0], known) for each in unknown if (name := _OPTION.match(each)))
        hint = next((text for text in near if text.startswith("did you mean")), "")
        self.error("; ".join(filter(None, [f"unrecognized arguments: {' '.join(unknown)}", hint])))


def commands(only: str | None = None) -> dict[str, Command]:
    """Sub-commands by name: all, or the one that is requested, since an import of all takes 0.3 s."""
    names = sorted(info.name for info in pkgutil.iter_modules(weir.commands.__path__))
    requested = [name for name in names if name.rstrip("_") == only]  # import_: import is Python's
    modules = [cast(Command, importlib.import_module(f"weir.commands.{name}")) for name in requested or names]
    return {module.NAME: module for module in modules}


def build_parser(only: str | None = None) -> _Parser:
    """The parser with every sub-command's own, or with that of one."""
    found = commands(only)
    parser = _Parser(
        prog="weir",
        usage="weir [-h] [--version] COMMAND ...",
        description="Measure HPC storage, check each result against evidence, report it.",
        epilog="\n".join([*_grouped(found), "", "example: weir plan --suite quick --target memory"]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"weir {weir.__version__}")
    parsers = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, prog="weir", help=argparse.SUPPRESS
    )
    for name, command in found.items():
        about = command.HELP
        inner = parsers.add_parser(
            name,
            description=about[:1].upper() + about[1:] + ".",
            epilog="\n".join([f"example: {command.EXAMPLE}", *_exit_codes(command)]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(inner)
        inner.set_defaults(execute=command.execute)
    return parser


def _grouped(found: Mapping[str, Command]) -> Iterator[str]:
    """The verbs by what they are for, a line or two each."""
    for group, title in GROUPS.items():
        yield f"{title}:"
        for name, command in found.items():
            if group == command.GROUP:
                yield textwrap.fill(
                    command.HELP, 100, initial_indent=f"  {name:<10} ", subsequent_indent=" " * 13
                )


def _exit_codes(command: Command) -> list[str]:
    answer = _exit_1(command)
    return [f"exit code: 0 otherwise, 1 {answer}, 2 wrong use, 3 no answer"] if answer else []


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command; its errors become messages: 1 the work failed, 2 wrong use, 130 interrupted."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    with visible_output():
        return _run(given)


def _run(given: list[str]) -> int:
    try:
        require_docstrings()
        args = _with_homes(build_parser(given[0] if given else None).parsed(given))
        _require_files(args)
        code: int = args.execute(args)
        sys.stdout.flush()
        return code
    except WeirError as error:
        _report(error, as_json="--json" in given)
        return _no_answer(given) if error.exit_code == EXIT_FAILED else error.exit_code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (weir plan | head); Python must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _no_answer(given)
    except (AttributeError, ImportError) as error:
        if (unusable := unusable_package(error)) is None:
            raise
        _report(unusable, as_json="--json" in given)
        return _no_answer(given)
    except OSError as error:
        _report(from_os_error(error), as_json="--json" in given)
        return _no_answer(given)


def _no_answer(given: Sequence[str]) -> int:
    """Whoever reads 1 as "slower" must not read it where a package is missing, or the
    verb cannot be read."""
    try:
        has_answer = any(_exit_1(command) for command in commands(given[0]).values())
    except (AttributeError, ImportError):
        has_answer = True
    return EXIT_NO_ANSWER if has_answer else EXIT_FAILED


def _exit_1(command: Command) -> str:
    return getattr(command, "EXIT_1", "")


def _with_homes(args: argparse.Namespace) -> argparse.Namespace:
    """The arguments with the home of the user in each path."""
    for name, value in vars(args).items():
        if isinstance(value, Path):
            setattr(args, name, expanded(value))
    return args


def _require_files(args: argparse.Namespace) -> None:
    """No path of a command is a pipe or a device, or on a storage that hangs already."""
    folders: dict[Path, list[Path]] = {}
    for value in vars(args).values():
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, Path):
                folders.setdefault(path.parent, []).append(path)
    for paths in folders.values():  # a process each: a glob has thousands of paths
        check = partial(_require_each, paths)
        if _PROCESS.is_dir():
            in_time(check, paths[0])
        else:  # not Linux, or a chroot without it: logs can be read there, too
            check()


def _require_each(paths: Sequence[Path]) -> None:
    for path in paths:
        with contextlib.suppress(OSError):  # who reads it has the message
            require_file(path)


def _report(error: WeirError, as_json: bool) -> None:
    """Messages go to stderr, as text for people or as JSON for programs."""
    if as_json:
        print(json.dumps(error_data(error), indent=1, default=str), file=sys.stderr)
        return
    for problem in error.problems:
        print(f"weir: {problem}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
