"""Lines between the results of a text that the program did not print.

A script announces the directory of its next run; somebody who keeps notes writes what was changed, or the
commands that changed it. They may be all that tells two results of one command apart.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import itemgetter

from weir.tools.outputs import FENCE, LINE_BYTES, counts_runs, is_in_block, launch_of, terms_of

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
_CLOCK = re.compile(r"\d\d:\d\d")
_LONGEST = 400  # characters of a line that tell
_MOST_OF_A_TITLE = 100  # characters; a longer line is a sentence of a page or a message
_MOST_FORMS = 100


def announced(text: str, places: Sequence[int], printed: re.Pattern[str]) -> list[str]:
    """The paths that lines of a script have before each result, where lines of the same form have another
    path elsewhere: empty for those of the first result. printed: commands, and lines of the program."""
    seen: list[dict[str, str]] = []
    forms: dict[str, set[str]] = {}
    for lines in map(_telling, _between(text, places, printed)):
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
    return _that_stand_once(map(_telling, _between(text, places, printed)))


def titled(text: str, places: Sequence[int], printed: re.Pattern[str]) -> list[str]:
    """The same of headings alone: lines behind a mark or above a line. Other lines may be a script's."""
    return _that_stand_once(map(_titles, _between(text, places, printed)))


def written(text: str, spans: Sequence[tuple[int, int]], printed: re.Pattern[str]) -> list[str]:
    """The same of what the author of a page wrote outside its blocks of code, and typed or remarked in them.
    spans: begin and end of what stands before each result; one outside a block has nothing."""
    lines = _own([_of_author(text, *span, printed) for span in spans])
    return [line if is_in_block(text, end) else "" for line, (_, end) in zip(lines, spans, strict=True)]


def told_apart(text: str, runs: Sequence[tuple[str, int, int]]) -> list[dict[str, str]]:
    """The title above each run and the lines before it that tell it from others of its command. These are
    of the author of a page, or notes where somebody typed commands behind a prompt; other lines may be a
    script's: then headings alone. runs: the command, begin and end of the lines since the run before."""
    launches = {launch.pattern for launch in (launch_of(command) for command, _, _ in runs) if launch}
    launch = re.compile("|".join(f"(?:{one})" for one in sorted(launches)) or "(?!)")
    gaps = [text[begin:end] for _, begin, end in runs]
    names = _colon_titles([command for command, _, _ in runs], gaps, launch)
    if FENCE in text:
        lines = written(text, [(begin, end) for _, begin, end in runs], launch)
    else:
        lines = _above(gaps, launch)
    told = ({"title": name, "above": line} for name, line in zip(names, lines, strict=True))
    return [{name: value for name, value in one.items() if value} for one in told]


def _above(gaps: Iterable[str], launch: re.Pattern[str]) -> list[str]:
    found = [gap.split("\n") for gap in gaps]
    typed = [any(_is_typed(line, launch) for line in lines) for lines in found]
    others = ["\n".join(line for line in lines if not launch.search(line)) for lines in found]
    notes = _that_stand_once(map(_telling, others))
    titles = _that_stand_once(map(_titles, others))
    return [note if one else title for one, note, title in zip(typed, notes, titles, strict=True)]


def _colon_titles(commands: Sequence[str], gaps: Iterable[str], launch: re.Pattern[str]) -> list[str]:
    """The line with a colon directly above each run, or above the nearest one before it. Empty where the runs
    of its command have one title, or not all have any.

    Mails quote outputs below "Without the patch:" and "With the patch:". Numbers in a title do not count: in
    the output of a job they are of a run, a node or another job."""
    titles = []
    title = ""
    of_command: dict[str, set[str]] = {}
    for command, gap in zip(commands, gaps, strict=True):
        title = _colon_title(gap, launch) or title
        titles.append(title)
        of_command.setdefault(command, set()).add(title)
    differ = {command for command, found in of_command.items() if len(found) > 1 and "" not in found}
    return [title if command in differ else "" for command, title in zip(commands, titles, strict=True)]


def _colon_title(gap: str, launch: re.Pattern[str]) -> str:
    """The text of a title without its numbers; between it and a run the command may stand."""
    lines = (line for line in reversed(gap[-LINE_BYTES:].splitlines()) if line.strip())
    line = next((one for one in lines if not launch.search(one)), "").strip(" \t*_`")
    if not line.endswith(":") or len(line) > _MOST_OF_A_TITLE or _CLOCK.search(line):
        return ""
    return "" if counts_runs(line) else terms_of(line)


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
    """The forms of the last lines before each result that are before one result only."""
    return _own([(list(dict.fromkeys(map(_form, lines))), True) for lines in found])


def _own(found: Sequence[tuple[Sequence[str], bool]]) -> list[str]:
    """The lines before each result that are before no other one; else those of the result before it, where
    nothing has ended them."""
    counts = Counter(line for lines, _ in found for line in lines)
    states: list[str] = []
    for lines, goes_on in found:
        own = "\n".join(line for line in lines if counts[line] == 1)
        states.append(own or (states[-1] if states and goes_on else ""))
    return _of_others(states)


def _of_others(states: Sequence[str]) -> list[str]:
    """The cells of a text in which nothing is changed are those without these lines."""
    return ["" if state == states[0] else state for state in states]


def _between(text: str, places: Sequence[int], printed: re.Pattern[str]) -> Iterator[str]:
    """The text between the beginning of each result and that of the one before it, without lines printed."""
    return (printed.sub("", text[begin:end]) for begin, end in pairwise([0, *places]))


def _telling(gap: str) -> list[str]:
    return [line[:_LONGEST] for line in gap.split("\n") if _says_something(line[:_LONGEST])]


def _titles(gap: str) -> list[str]:
    return [title for title in map(itemgetter(0), _TITLE.finditer(gap)) if _says_something(title)]


def _says_something(line: str) -> bool:
    return not (_SAYS_NOTHING.fullmatch(line) or line.startswith(FENCE) or counts_runs(line))


def _form(line: str) -> str:
    """The line without what differs from run to run by itself."""
    return " ".join(_NUMBER.sub("0", _NAME_IN_TIME.sub("", line)).split())
