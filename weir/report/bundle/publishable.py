"""The values of a site that a bundle may hold: those on a list of what measurements need, and nothing else.

A list of secret names can never be complete, so the names of variables and options stay and their values are
replaced, unless the variable belongs to MPI, HDF5, an I/O library or weir, or the site names it in `publish`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from weir.tools import tools

# Variables whose values describe how I/O was done.
_PUBLIC = (
    "OMPI|OPAL|PMIX|PRTE|MPICH|MPIR|HYDRA|I_MPI|MV2|MVP|ROMIO|FI|UCX|PSM2?|OMP|KMP"
    "|HDF5|H5|NETCDF|PNETCDF|ADIOS2?|SIONLIB|LIBLUSTRE|DARSHAN|IME?|WEIR"
)
_SEARCH_PATHS = re.compile(r"PATH|LD_LIBRARY_PATH|LD_PRELOAD|PYTHONPATH")
_PATHS = re.compile(r"(?:[/{][\w./{}+-]*[: ]?)+")
# Names that tell a secret also among the variables of the list, in options and in `name=value`.
SECRET_NAME = (
    r"[\w.-]*(?:TOKEN|SECRET|PASS(?!IVE|THR|ES)|PWD|(?<![A-Z])PW(?![A-Z])|PAT(?![A-Z])|PIN(?![A-Z])|CRED|KEY(?!S?PACE|VAL)|COOKIE|JWT"
    r"|AUTH(?!OR)|CERT|SIGNATURE|LICENSE)[\w.-]*"
)
_SECRET = re.compile(SECRET_NAME, re.IGNORECASE)
_PLAIN = re.compile(r"[\w.,:/+^*\[\]{}<>=; -]*")
_LIKE_A_KEY = re.compile(r"(?=\w*[0-9])(?=\w*[a-z])(?=\w*[A-Z])\w{16,}|[0-9a-fA-F]{24,}")
_LIKE_A_PASSWORD = re.compile(r"(?=[\w-]*[0-9])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{8,}")
_PATH = re.compile(r"(?:\.{0,2}/|\{)[\w./{}+:-]*")
_WORD = re.compile(r"[\w.+-]+")
_SUBCOMMAND = re.compile(r"[a-z]+(?:-[a-z0-9]+)*")
_ASSIGNMENT = re.compile(r"([A-Z_][A-Z0-9_]*)=(.*)", re.DOTALL)
# Options of launchers and batch systems that say where ranks run, with the kinds of their values, last first.
_PLAIN_VALUE, _VARIABLES, _OF_THE_VARIABLE = "plain", "variables", "of "
_PLACEMENT: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("--mca", "-mca", "--prtemca", "--pmixmca"), (_PLAIN_VALUE, _PLAIN_VALUE)),
    **dict.fromkeys(("-genv", "-env"), (_OF_THE_VARIABLE, _VARIABLES)),
    **dict.fromkeys(("-x", "--export", "--env", "-genvlist", "-envlist"), (_VARIABLES,)),
    **dict.fromkeys(
        (
            *("-n", "-np", "-N", "-c", "-m", "-ppn", "-perhost", "--bind-to", "-bind-to", "--map-by"),
            *("-map-by", "--rank-by", "--mpi", "--cpu-bind", "--mem-bind", "--distribution", "--hint"),
            *("--nodes", "--ntasks", "--cpus-per-task", "--ntasks-per-node", "--ntasks-per-socket"),
            *("--kill-on-bad-exit", "--network", "--partition", "-p", "-q", "--constraint", "-C", "--time"),
            *("-pe", "--cores-per-task"),
        ),
        (_PLAIN_VALUE,),
    ),
}  # fmt: skip


@cache
def _public() -> re.Pattern[str]:
    """Names of variables of I/O software, of the measured tools among it."""
    measured = (re.sub(r"\W", "_", name).upper() for name in tools())
    return re.compile(rf"(?:{_PUBLIC}|{'|'.join(measured)})_\w+")


def is_secret_name(name: str) -> bool:
    """Whether a name shows that its value is secret."""
    return _SECRET.fullmatch(name) is not None


def is_public(name: str, value: str) -> bool:
    """Whether a bundle may hold this value of this variable."""
    if is_secret_name(name):
        return False
    if _SEARCH_PATHS.fullmatch(name):
        return value == "" or _PATHS.fullmatch(value) is not None
    return _public().fullmatch(name) is not None and is_plain(value)


def is_plain(value: str) -> bool:
    """Whether a value of a public variable holds no command, no credentials and nothing like a key."""
    if not _PLAIN.fullmatch(value) or "://" in value:
        return False
    parts = re.split(r"[ ,;:]", value)
    if any(re.match(r"--?[A-Za-z]", word) for word in parts):
        return False
    names = (word.partition("=")[0] for word in parts if "=" in word)
    has_secret = _LIKE_A_KEY.search(value) or _LIKE_A_PASSWORD.search(value)
    return not has_secret and not any(map(is_secret_name, names))


Part = tuple[str, str]  # what a bundle holds of an argument, and what of it is private: one of both may be ""


def of_a_command(arguments: Sequence[str]) -> list[Part]:
    """The program, the names of options, and paths; not the values of options, nor other arguments."""
    programs = [(one, "") if _WORD.fullmatch(one) or _is_path(one) else ("", one) for one in arguments[:1]]
    return [*programs, *map(_argument, arguments[1:])]


def of_a_program(arguments: Sequence[str]) -> list[Part]:
    """The parts of a command like those of of_a_command, with the names of the tool and of sub-commands,
    which follow no option."""
    parts = of_a_command(arguments)
    for place in range(1, len(arguments)):
        if _SUBCOMMAND.fullmatch(arguments[place]) and not arguments[place - 1].startswith("-"):
            parts[place] = (arguments[place], "")
    return parts


def of_options(arguments: Sequence[str]) -> list[Part]:
    """Options of a launcher or batch system: those for the placement of ranks keep their values."""
    parts: list[Part] = []
    values: list[str] = []  # of the last option, that it still takes: the name of a variable before its value
    for argument in arguments:
        name, sign, value = argument.partition("=")
        if values:
            parts.append(_placement_value(values.pop(), argument))
            if parts[-1][0] and values == [_OF_THE_VARIABLE]:
                values = [f"{_OF_THE_VARIABLE}{argument}"]
        elif name in _PLACEMENT and sign:
            kept, private = _placement_value(_PLACEMENT[name][-1], value)
            parts.append((f"{name}={kept}", private))
        elif argument in _PLACEMENT:
            values = [*_PLACEMENT[argument]]
            parts.append((argument, ""))
        else:
            parts.append(_argument(argument))
    return parts


def _placement_value(kind: str, value: str) -> Part:
    """The part of the value that may stay: kinds are those of _PLACEMENT."""
    if kind.startswith(_OF_THE_VARIABLE):
        public = is_public(kind.removeprefix(_OF_THE_VARIABLE), value)
    elif kind == _VARIABLES:
        public = all(_is_public_assignment(each) for each in value.split(","))
    else:
        public = is_plain(value)
    return (value, "") if public else ("", value)


def _is_public_assignment(text: str) -> bool:
    found = _ASSIGNMENT.fullmatch(text)
    return is_public(found[1], found[2]) if found else re.fullmatch(r"[A-Z_][A-Z0-9_]*", text) is not None


def _argument(argument: str) -> Part:
    if re.fullmatch(r"--?|-\w|--[A-Za-z][A-Za-z-]*", argument):
        return argument, ""
    if found := re.fullmatch(r"(--[A-Za-z][\w-]*=)(.*)", argument, re.DOTALL):
        return (argument, "") if _is_path(found[2]) else (found[1], found[2])
    if found := re.fullmatch(r"(-\w)(.*)", argument, re.DOTALL):
        return found[1], found[2]
    return (argument, "") if _is_path(argument) else ("", argument)


def _is_path(text: str) -> bool:
    return _PATH.fullmatch(text) is not None and not _LIKE_A_KEY.search(text)


def pieces(value: str) -> Iterator[str]:
    """Parts of a private value that may stand alone elsewhere: the password of a URL, what follows a `=`, a
    word of a script."""
    yield value
    for part in (*re.split(r"[\s=:;,@&?\"'/]+|%[0-9A-F]{2}", value), *re.split(r"[\s\"']+", value)):
        if part != value and is_distinctive(part):
            yield part


def is_distinctive(text: str) -> bool:
    """Whether a text has a form that no word of a study has: letters with digits, or capitals within."""
    kinds = sum(bool(re.search(kind, text)) for kind in ("[a-z]", "[A-Z]", "[0-9]", r"[^\w./ -]"))
    return len(text) >= (6 if kinds > 2 else 8) and kinds >= 2 and not re.fullmatch(r"[\d.:+eE-]*", text)


def is_one_word(text: str) -> bool:
    """Whether a text is letters alone, as names of programs and sub-commands are."""
    return re.fullmatch(r"[A-Za-z][a-z]*", text) is not None


def is_vocabulary(text: str) -> bool:
    """Whether a program may have the text in its source: it is a name or plain text without a digit."""
    return re.fullmatch(r"[A-Za-z][A-Za-z_. /-]*", text) is not None
