"""Values that must not leave the machine with a bundle: those of a site's files, directories, names of users.

Values are replaced in the field that holds them, in plan.json, run.json and the site's files. Where a program
printed such a value, it is replaced in the text too if it cannot be a word of the study; a short one, such as
a PIN, where its name or its option stands before it. Users are replaced where a field names them: in a path,
before a host, after `user=`.
"""

import json
import re
import shlex
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from weir.report.bundle.publishable import (
    SECRET_NAME,
    Part,
    is_distinctive,
    is_one_word,
    is_public,
    is_secret_name,
    is_vocabulary,
    of_a_command,
    of_a_program,
    of_options,
    pieces,
)

REMOVED = "removed"
# The commands of a site: fields with one, fields with several, fields with options only.
_COMMANDS = ("server_probe", "drop_server_caches", "set_stripes", "set_pool", "set_osts", "get_stripes")
_PROBES = ("server_probe", "drop_server_caches")  # the engine takes them, and writes what it ran
_COMMAND_LISTS = ("prepare", "cleanup")
_OPTIONS = ("launcher_options", "scheduler_options")
_STRIPES = ("set", "get", "pool", "osts")
_SWITCHES = frozenset(("true", "false", "none", "null", "auto", "yes", "off"))
_VALUE = r"[^\s&,;\"'\\{}]"
_CREDENTIALS = (
    (rb"(?<=://)[^\s/@\"'<>]+(?=@)", b"%s"),
    # Values in quotes may hold blanks; a quote of JSON, which ends the text, has no backslash before it.
    (rf"(?i)((?<![\w.-]){SECRET_NAME}=)(?:'[^'\n]*'|\\\"[^\"\\\n]*\\\"|{_VALUE}+)".encode(), rb"\1%s"),
    # A colon is also in plain text, as in `keys: 3`: what follows must look like a password.
    (rf"(?i)((?<![\w.-]){SECRET_NAME}: ?)(?={_VALUE}*\d){_VALUE}{{8,}}".encode(), rb"\1%s"),
    (rb"(?i)((?:bearer|basic) )[\w.+/=-]{8,}", rb"\1%s"),
    (rb"(?s)(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(?=-----END |\Z)", rb"\1%s"),
)
_URL = re.compile(rb"(?<=://)[^\s\"'<>\\]+")
_PARAMETER = re.compile(rb"([?&#;][\w.~-]+=)([^&#;\s]+)")
_A_PATH = re.compile(rb"(?:(?<![\w.}>-])|(?<=-\w))(?:/[\w.+~@%-]+)+")
# Directories of systems, which are no user's whatever the user is called.
_OF_SYSTEMS = frozenset(
    (
        *(b"/dev/shm", b"/var/tmp", b"/var/lib", b"/var/run", b"/var/cache", b"/var/log", b"/run/user"),
        *(b"/run/lock", b"/usr/lib", b"/usr/bin", b"/usr/local"),
    )
)
_PROGRAMS = frozenset((b"bin", b"sbin", b"lib", b"lib64", b"libexec", b"build"))


class Private:
    """The values that a bundle replaces; it looks at all files before the first is written."""

    def __init__(
        self,
        publish: Iterable[str] = (),
        folders: Mapping[str, str] | None = None,
        users: Iterable[str] = (),
        terms: Iterable[str] = (),
    ) -> None:
        """folders: directories and what stands for them; terms: of the study, which no text loses."""
        self._publish = frozenset(publish)
        self._folders = sorted((folders or {}).items(), key=lambda pair: (-len(pair[0]), pair[0]))
        self._users = sorted(set(users), key=lambda name: (-len(name), name))
        self._terms = "\n".join(terms)
        self._values: dict[str, str] = {}  # to look for in texts, and the name of what holds them
        self._parts: set[str] = set()  # of them those that are parts of values, which code may have, too
        self._commands: dict[str, str] = {}  # of probes, as a shell reads them, and what replaces them
        self._named: dict[tuple[str, str], None] = {}  # a variable or option, and its value
        self._measured: dict[tuple[str, ...], list[str]] = {}  # arguments of runs, and what replaces them
        self._places: dict[str, set[str]] = defaultdict(set)
        self._mark = "{%s}"
        self.echoed: set[str] = set()  # names of values that stood in texts
        self.also_terms: set[str] = set()  # names of values that are names of the study as well

    def replaced(self) -> list[tuple[str, str]]:
        """Each place with the names of the variables or commands whose values are replaced there."""
        return [(place, ", ".join(sorted(names))) for place, names in sorted(self._places.items())]

    def fields(self, data: Any, place: str = "", mark: str = "{%s}") -> Any:
        """The same data without private values; they are noted."""
        self._mark = mark
        return self._walk(data, place)

    def _walk(self, data: Any, place: str) -> Any:
        if isinstance(data, Mapping):
            return {key: self._field(str(key), value, place) for key, value in data.items()}
        return [self._walk(item, place) for item in data] if isinstance(data, list) else data

    def _field(self, key: str, value: Any, place: str) -> Any:
        inner = f"{place}.{key}" if place else key
        if key == "environment" and isinstance(value, Mapping):
            return {name: self._variable(str(name), text, inner) for name, text in value.items()}
        if key in _COMMAND_LISTS and isinstance(value, list):
            return [self._arguments(of_a_command, item, inner) for item in value]
        if key in _COMMANDS:
            return self._arguments(of_a_command, value, inner)
        if key == "stripes" and isinstance(value, Mapping):
            return {name: self._arguments(of_a_command, item, inner) for name, item in value.items()}
        if key in _OPTIONS:
            return self._arguments(of_options, value, inner, measured=True)
        if key == "programs" and isinstance(value, Mapping):
            return {
                tool: self._arguments(of_a_program, item, inner, measured=True)
                for tool, item in value.items()
            }
        if key == "command" and isinstance(value, list) and all(isinstance(item, str) for item in value):
            return self._of_a_run(value)
        return self._walk(value, inner)

    def _variable(self, name: str, value: Any, place: str) -> Any:
        if value in self._commands:
            return self._commands[value]
        if not isinstance(value, str) or not value or name in self._publish or is_public(name, value):
            return value
        self._note(value, name, place)
        self._named[name, value] = None
        return self._mark % REMOVED

    def _arguments(
        self, kind: Callable[[Sequence[str]], list[Part]], value: Any, place: str, measured: bool = False
    ) -> Any:
        field = place.rpartition(".")[2]
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            return value
        if field in self._publish:
            return value
        cleaned: list[str] = []
        for argument, (kept, private) in zip(value, kind(value), strict=True):
            placeholders = re.fullmatch(r"(?:\{\w+\})+", private)
            if private and not placeholders:
                option = kept.rstrip("=") or (value[len(cleaned) - 1] if cleaned else "")
                name = option.lstrip("-") if is_secret_name(option) else field
                self._places[place].add(name)
                # One word alone may be that of a sub-command, which outputs have, too.
                if name != field or not is_one_word(private):
                    self._note(private, name, place)
                if option:
                    self._named[option, private] = None
            cleaned.append(argument if not private or placeholders else kept + self._mark % REMOVED)
        if measured and cleaned != value:
            self._measured.setdefault(tuple(value), cleaned)
        if field in _PROBES and value:
            self._commands.setdefault(shlex.join(value), shlex.join(cleaned))
        return cleaned

    def _of_a_run(self, command: list[str]) -> list[str]:
        """The command of a run holds the launcher's options and the program of its stack."""
        for original, cleaned in self._measured.items():
            width = len(original)
            for start in range(len(command) - width + 1):
                if tuple(command[start : start + width]) == original:
                    command = [*command[:start], *cleaned, *command[start + width :]]
        return command

    def _note(self, value: str, name: str, place: str) -> None:
        self._places[place].add(name)
        for piece in sorted({value, *value.splitlines(), *pieces(value)}):
            least = 4 if is_secret_name(name) else 8  # characters
            is_looked_for = len(piece) >= least and not _is_number_or_switch(piece)
            if not (is_looked_for or is_distinctive(piece)):
                continue
            if piece not in self._terms:
                self._values.setdefault(piece, name)
                (self._parts.discard if piece == value else self._parts.add)(piece)
            elif piece == value:
                self.also_terms.add(name)

    def withhold(self, value: str, name: str) -> None:
        """Whoever publishes does not want this text anywhere."""
        self._places["everywhere"].add(name)
        self._values[value] = name

    def text(self, content: bytes, mark: str = "{%s}") -> bytes:
        """The same content, of any file, without private values, credentials, directories and users."""
        content = self._without_commands(content)
        content = self.without_values(content, mark)
        content = self._without_named_values(content, mark)
        content = _URL.sub(lambda url: _without_parameters(url[0], (mark % REMOVED).encode()), content)
        for pattern, replacement in _CREDENTIALS:
            content = re.sub(pattern, replacement.replace(b"%s", (mark % REMOVED).encode()), content)
        for folder, name in self._folders:
            bounded = rb"(?:(?<![\w.}>-])|(?<=-\w))" + re.escape(folder.encode()) + rb"(?![\w.-])"
            content = re.sub(bounded, (mark % name).encode().replace(b"\\", rb"\\"), content)
        content = _A_PATH.sub(self._without_users, content)
        for user in (re.escape(name.encode()) for name in self._users if _is_a_name(name)):
            content = re.sub(rb"(?<![\w.@-])" + user + rb"(?=@\w)", b"user", content)
            before = rb"(?i)((?<![a-z])(?:user|username|logname|owner|login)\"?\s*[=:]\s*\"?|uid=\d+\()"
            content = re.sub(before + rb"(?-i:" + user + rb")(?![\w.-])", rb"\1user", content)
        return content

    def code(self, content: bytes) -> bytes:
        """The same content of a program, which may have a value without digits as a name of its own."""
        return self.without_values(content, is_code=True)

    def without_values(self, content: bytes, mark: str = "{%s}", is_code: bool = False) -> bytes:
        """The same content without the values that no name or label of the study contains."""
        for value, name in sorted(self._values.items(), key=lambda pair: (-len(pair[0]), pair[0])):
            if is_code and (value in self._parts or is_vocabulary(value)):
                continue
            for form in _forms(value):
                if form in content:
                    self.echoed.add(name)
                    content = content.replace(form, (mark % REMOVED).encode())
        return content

    def _without_commands(self, content: bytes) -> bytes:
        """Commands of probes, of which the engine writes as much as there is room for."""
        for command, cleaned in self._commands.items():
            in_json = json.dumps(command)[1:-1], json.dumps(cleaned)[1:-1]
            for form, clean in (in_json, (command, cleaned)):
                begins = form[: _alike(form, clean) + 4].encode()
                at = content.find(begins) if form != clean else -1
                while at >= 0:
                    length = _alike(form.encode(), content[at:])
                    content = content[:at] + clean.encode() + content[at + length :]
                    at = content.find(begins, at + len(clean.encode()))
        return content

    def _without_named_values(self, content: bytes, mark: str) -> bytes:
        """Values too short or too common to look for, where their variable or option stands before them."""
        for name, value in self._named:
            if value in self._values or name.encode() not in content:
                continue
            between = r"[ ,]*[\"']?[ =,]?\s*" if name.startswith("-") else r"[\"']?\s*[:=]\s*"
            pattern = rf"((?<![\w.-]){re.escape(name)}{between}[\"']?){re.escape(value)}(?!\w)"
            content = re.sub(pattern.encode(), rb"\1" + (mark % REMOVED).encode(), content)
        return content

    def _without_users(self, path: re.Match[bytes]) -> bytes:
        parts = path[0].split(b"/")[1:]
        users = [user.encode() for user in self._users]
        for place, part in enumerate(parts):
            for user in users:
                if part == b"weir-" + user or part.startswith(b"weir-" + user + b"-"):
                    parts[place] = b"weir-user" + part[len(b"weir-" + user) :]
                elif part == user and _is_a_name(user.decode()) and _may_be_a_user(parts, place):
                    parts[place] = b"user"
        return b"/" + b"/".join(parts)


def _may_be_a_user(parts: Sequence[bytes], place: int) -> bool:
    """Whether a directory can have a user's name: none of the system, and nothing below programs."""
    path = b"/" + b"/".join(parts[: place + 1])
    return place > 0 and path not in _OF_SYSTEMS and not _PROGRAMS & {*parts[: place + 1]}


def _is_a_name(user: str) -> bool:
    """root is also a term of MPI and of file systems; a number is the user of a container without names."""
    return user != "root" and not user.isdigit()


def _is_number_or_switch(text: str) -> bool:
    return text.lower() in _SWITCHES or re.fullmatch(r"[\d.]{1,5}|[\d.:/-]*[./:-][\d.:/-]*", text) is not None


def _alike(one: str | bytes, other: str | bytes) -> int:
    """The length of what both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _without_parameters(url: bytes, removed: bytes) -> bytes:
    """The same URL; a session or a signature in it opens what it points to, whatever its name."""
    return _PARAMETER.sub(
        lambda found: found[1] + (removed if is_distinctive(found[2].decode(errors="replace")) else found[2]),
        url,
    )


def _forms(value: str) -> Iterator[bytes]:
    """The value as text, JSON, CSV and URLs hold it, and as programs print what they must not print."""
    written = (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
    forms = {
        *written,
        value.replace('"', '""'),
        value.replace("'", "''"),
        quote(value),
        quote(value, safe=""),
        b64encode(value.encode()).decode(),
    }
    yield from sorted((form.encode() for form in forms), key=lambda form: (-len(form), form))


def measured_by(plan: Mapping[str, Any], targets: Iterable[Any]) -> Iterator[str]:
    """The texts that stand for {user} in the targets of the plan, since a study may be bundled by somebody
    else."""
    planned_targets = plan.get("site", {}).get("targets", {})
    for target in targets:
        written = str(target.get("path")) if isinstance(target, Mapping) else ""
        before, user, after = written.partition("{user}")
        planned = planned_targets.get(target.get("target"), {}).get("path") if user else None
        if planned and (found := re.fullmatch(f"{_any_path(before)}([^/]+){_any_path(after)}", planned)):
            yield found[1]


def _any_path(written: str) -> str:
    """A pattern of the text, whatever its placeholders stand for."""
    return ".*".join(map(re.escape, re.split(r"\{\w+\}", written)))
