"""Lines between the results of a text that the program did not print.

A script announces the directory of its next run; somebody who keeps notes writes what was changed, or the
commands that changed it. They may be all that tells two results of one command apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import itemgetter

from weir.tools.outputs import FENCE, REPETITION

_PATH = re.compile(r"(?<![\w.:/])/[\w.-]+(?:/[\w.-]+)*")
_NUMBER = re.compile(r"[^\W_]*\d[^\s/]*")  # a word with a digit may be a time, a count or a random name
_NAME_IN_TIME = re.compile(
    r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b|\b[AP]M\b"
)
# Indented lines are of an output, as those without a letter, of a prompt alone, or of the shell's time.
_SAYS_NOTHING = re.compile(r"[ \t].*|[\W\d_]*|(?:real|user|sys)[ \t].*|.*[#$%>][ \t]*")
HAS_PROMPT = re.compile(r".{0,80}?[#$%>](?:[ \t]|$)")  # of what stands before a command
_TITLE = re.compile(r"^(?:[*=~-]+[ \t]*\w.{0,400}|\w.{0,400}(?=\n([=~^-])\1{2,}[ \t]*$))", re.MULTILINE)
_LONGEST = 400  # characters of a line that tell
_MOST_FORMS = 100


def announced(text: str, places: Sequence[int], printed: re.Pattern[str]) -> list[str]:
    """The paths that lines of a script have before each result, where lines of the same form have another
    path elsewhere: empty for those of the first result. printed: commands, and lines of the program."""
    seen: list[dict[str, str]] = []
    forms: dict[str, set[str]] = {}
    for lines in _between(text, places, printed):
        here = {_form(_PATH.sub("/", line)): " ".join(map(_form, _PATH.findall(line))) for line in lines}
        seen.append({form: paths for form, paths in here.items() if paths})
        for form, paths in seen[-1].items():
            forms.setdefault(form, set()).add(paths)
    varying = sorted(form for form, paths in forms.items() if len(paths) > 1)
    if not varying or len(varying) > _MOST_FORMS:
        return [""] * len(places)
    last: dict[str, str] = {}
    states = []
    for here in seen:
        last |= here
        states.append(" ".join(last.get(form, "") for form in varying))
    return _of_others(states)


def noted(text: str, places: Sequence[int], printed: re.Pattern[str]) -> list[str]:
    """Lines that stand nowhere else, the last ones before each result: of notes they tell what was changed.
    Empty for those of the first result."""
    return _that_stand_once(_between(text, places, printed))


def titled(text: str, places: Sequence[int], printed: re.Pattern[str]) -> list[str]:
    """The same of headings alone: lines behind a mark or above a line. Other lines may be a script's."""
    gaps = [printed.sub("", text[begin:end]) for begin, end in pairwise([0, *places])]
    return _that_stand_once(filter(_says_something, map(itemgetter(0), _TITLE.finditer(gap))) for gap in gaps)


def _that_stand_once(found: Iterable[Iterable[str]]) -> list[str]:
    """The last of the lines before each result that are before one result only."""
    between = [list(dict.fromkeys(map(_form, lines))) for lines in found]
    counts = Counter(line for lines in between for line in lines)
    states: list[str] = []
    for lines in between:
        own = "\n".join(line for line in lines if counts[line] == 1)
        states.append(own or (states[-1] if states else ""))
    return _of_others(states)


def _of_others(states: Sequence[str]) -> list[str]:
    """The cells of a text in which nothing is changed are those without these lines."""
    return ["" if state == states[0] else state for state in states]


def _between(text: str, places: Sequence[int], printed: re.Pattern[str]) -> Iterator[list[str]]:
    """The lines between the beginning of each result and that of the one before it, without those printed."""
    before = 0
    for place in places:
        lines = printed.sub("", text[before:place]).split("\n")
        yield [line[:_LONGEST] for line in lines if _says_something(line[:_LONGEST])]
        before = place


def _says_something(line: str) -> bool:
    return not (_SAYS_NOTHING.fullmatch(line) or line.startswith(FENCE) or REPETITION.fullmatch(line))


def _form(line: str) -> str:
    """The line without what differs from run to run by itself."""
    return " ".join(_NUMBER.sub("0", _NAME_IN_TIME.sub("", line)).split())
