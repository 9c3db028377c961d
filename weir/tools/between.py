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

from weir.tools.outputs import FENCE, counts_runs, is_in_block, launch_of

_PATH = re.compile(r"(?<![\w.:/])/[\w.-]+(?:/[\w.-]+)*")
_NUMBER = re.compile(r"[^\W_]*\d[^\s/]*")  # a word with a digit may be a time, a count or a random name
_NAME_IN_TIME = re.compile(
    r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b|\b[AP]M\b"
)
# Indented lines are of an output, as those without a letter, of a prompt alone, or of the shell's time.
_SAYS_NOTHING = re.compile(r"[ \t].*|[\W\d_]*|(?:real|user|sys)[ \t].*|.*[#$%>][ \t]*")
HAS_PROMPT = re.compile(r".{0,80}?[#$%>](?:[ \t]|$)")  # of what stands before a command
_TITLE = re.compile(r"^(?:[*=~-]+[ \t]*\w.{0,400}|\w.{0,400}(?=\n([=~^-])\1{2,}[ \t]*$))", re.MULTILINE)
_TYPED = re.compile(r"\[?[\w.-]{1,64}@[^#$]{1,80}[#$] +\S")
_REMARK = re.compile(rf"{_TYPED.pattern}|(?:[#$]|//) +\S")  # or the command of root
_HEADING = re.compile(r"#{1,6} +\S")
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
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
    return _that_stand_once(map(_titles, gaps))


def written(text: str, spans: Sequence[tuple[int, int]], printed: re.Pattern[str]) -> list[str]:
    """The same of what the author of a page wrote outside its blocks of code, and typed or remarked in them.
    spans: begin and end of what stands before each result; one outside a block has nothing."""
    found = [_of_author(text, *span, printed) for span in spans]
    counts = Counter(line for lines, _ in found for line in lines)
    states: list[str] = []
    for lines, goes_on in found:
        own = "\n".join(line for line in lines if counts[line] == 1)
        states.append(own or (states[-1] if states and goes_on else ""))
    return [
        line if is_in_block(text, end) else ""
        for line, (_, end) in zip(_of_others(states), spans, strict=True)
    ]


def told_apart(text: str, runs: Sequence[tuple[str, int, int]]) -> list[str]:
    """The lines before each run that tell it from others of its command: those of the author of a page, and
    notes where somebody typed commands behind a prompt. Other lines may be a script's: then titles
    alone. runs: the command, begin and end of the lines between the run before it and the run."""
    launches = {launch.pattern for launch in (launch_of(command) for command, _, _ in runs) if launch}
    launch = re.compile("|".join(f"(?:{one})" for one in sorted(launches)) or "(?!)")
    if FENCE in text:
        return written(text, [(begin, end) for _, begin, end in runs], launch)
    gaps = [text[begin:end].split("\n") for _, begin, end in runs]
    typed = [any(_is_typed(line, launch) for line in lines) for lines in gaps]
    others = ["\n".join(line for line in lines if not launch.search(line)) for lines in gaps]
    notes = _that_stand_once(map(_telling, others))
    titles = _that_stand_once(map(_titles, others))
    return [note if one else title for one, note, title in zip(typed, notes, titles, strict=True)]


def _is_typed(line: str, launch: re.Pattern[str]) -> bool:
    """Whether it has the prompt of a user and a host, or any prompt before the program."""
    return _TYPED.match(line) is not None or bool(launch.search(line) and HAS_PROMPT.match(line))


def _of_author(text: str, begin: int, end: int, printed: re.Pattern[str]) -> tuple[list[str], bool]:
    """The forms of the lines behind the last heading, without the one above the block of the result: these
    are its caption. And whether there is no heading. A number in a command that somebody typed is told."""
    is_inside = is_in_block(text, begin)
    lines: list[str] = []
    caption, goes_on = "", True
    for line in filter(str.strip, text[begin:end].split("\n")):
        told = line[:_LONGEST] if _says_something(line[:_LONGEST]) else ""
        is_fence = line.lstrip().startswith(FENCE)
        if is_inside and is_fence:
            lines.append(_form(caption))
            caption, is_inside = "", False
        elif is_fence:
            is_inside = True
        elif not is_inside and _HEADING.match(line):
            lines, caption, goes_on = [], "", False
        elif not is_inside:
            lines.append(_form(caption))
            caption = "" if _PICTURE.fullmatch(line) else told
        elif _REMARK.match(line) and not printed.search(line):
            lines.append(" ".join(told.split()))
    return [*filter(None, dict.fromkeys(lines))], goes_on


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
        yield _telling(printed.sub("", text[before:place]))
        before = place


def _telling(gap: str) -> list[str]:
    return [line[:_LONGEST] for line in gap.split("\n") if _says_something(line[:_LONGEST])]


def _titles(gap: str) -> list[str]:
    return [title for title in map(itemgetter(0), _TITLE.finditer(gap)) if _says_something(title)]


def _says_something(line: str) -> bool:
    return not (_SAYS_NOTHING.fullmatch(line) or line.startswith(FENCE) or counts_runs(line))


def _form(line: str) -> str:
    """The line without what differs from run to run by itself."""
    return " ".join(_NUMBER.sub("0", _NAME_IN_TIME.sub("", line)).split())
