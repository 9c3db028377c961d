"""The terms of the old dialect do not come back (docs/decisions/0011-plain-language.md)."""

import re
from functools import cache

from tests.checkout import ROOT
from tests.unit.docs.sentences import Text, comments, docstrings, texts

# What is wrong, and what to write instead.
INSTEAD = {
    r"\bmend(s|ed|ing)?\b": "hint, or fix",
    r"\basked\b": "requested",
    r"\b(leave|leaves|leaving|left) ([\w-]+ )?out\b": "excluded, skipped, unavailable, or by default",
    r"\bspanned\b": "full factorial",
    r"\bmean(s|t)? (anything|nothing)\b": "valid combinations",
    r"\btorn\b|\bhalf a (log|line|file)\b|\bcut (off|logs?|short)\b": "truncated",
    r"\b(of|by) others\b|\bother people's\b": "third-party, external",
    r"\bstand-?ins?\b": "emulator",
    r"\bdoors?\b": "interface, access path",
    r"\bwords\b": "arguments, text, terms",
    r"\b(said|says|speaks?|spoke|spoken)\b": "reports, contains, shows",
    r"\bspotless\b|\bspeaks against\b": "no finding",
    r"\bnobody's\b": "untracked",
    r"(?<!there )(?<!There )\bis no (?!longer\b|more\b)[a-z]": "is not a valid",
    r"\bwithout a word\b": "without an error message, silently",
    r"\ba choice changes\b|\bwhat a choice\b": "effect of a setting",
    r"\bwhat (each|weir|it|they) (\w+ )?costs?\b": "overhead, cost of",
    r"\b(a|an|one|another|the|each|every|its|this|that|which|some|same|any) places?\b": "directory",
    r"\b(a|one|another|the|each|every|its|which|some|any|two|three|both) ways?\b": "path, interface, method",
}

_ANY = re.compile("|".join(f"(?:{pattern})" for pattern in INSTEAD))  # most texts have none

# Where such a word is right, and why.
ALLOWED = [
    (r"docs/decisions/0011-.*", r"", "the page that lists the old words beside the new ones"),
    (r"weir/tools/ior/problems.py", r"words of this size", "words of memory"),
    (r"docs/engine/ior.md", r"8-byte words", "words of memory"),
    (
        r"analysis/R/(columns|page_parts).R|weir/report/bundle/appendix.py",
        r"^says$",
        "a column of the table of claims",
    ),
    (r"analysis/R/study_numbers.R", r"^spanned$", "a key of the published values"),
]


@cache
def everything() -> list[Text]:
    return [*texts(), *comments()]


def allowed(found: Text, match: re.Match[str]) -> bool:
    around = found.text[max(0, match.start() - 40) : match.end() + 40]
    return any(re.fullmatch(path, found.path) and re.search(phrase, around) for path, phrase, _ in ALLOWED)


def test_no_word_of_the_old_dialect() -> None:
    found = [
        f"{text.path}:{text.line}: {match[0]!r} ({instead}): {text.text.strip()[:120]}"
        for text in everything()
        if _ANY.search(text.text)
        for pattern, instead in INSTEAD.items()
        for match in re.finditer(pattern, text.text)
        if not allowed(text, match)
    ]
    assert found == [], "\n" + "\n".join(found)


def test_each_exception_is_needed_and_has_a_reason() -> None:
    for path, phrase, reason in ALLOWED:
        assert len(reason) > 10
        assert any(re.fullmatch(path, text.path) and re.search(phrase, text.text) for text in everything()), (
            phrase
        )


def test_no_name_of_the_old_dialect() -> None:
    """Nor as a name of a variable or function."""
    name = re.compile(r"^[^\"#']*\b(words|doors|asked|said|mend|spanned)\b", re.MULTILINE)
    found = [
        f"{file.relative_to(ROOT)}: {match[1]}"
        for folder in ("weir", "tests", "bench", "reframe_checks")
        for file in sorted((ROOT / folder).rglob("*.py"))
        for match in name.finditer(file.read_text())
        if not file.is_relative_to(ROOT / "tests/unit/docs")
    ]
    assert found == []


# "Of the ranks that wrote." needs the code below it, "The bytes of the ranks that wrote." stands alone.
_FRAGMENT = re.compile(
    r"(?:Of|By|As|At|For|From|In|On|To|With|Without|Also|And|But|Not|Those|Only"
    r"|What|Where|Which|Who|How)\b"
)


def test_no_docstring_begins_in_the_middle_of_a_sentence() -> None:
    every = [*docstrings()]
    assert len(every) > 2000
    found = [f"{one.path}:{one.line}: {one.text[:100]}" for one in every if _FRAGMENT.match(one.text)]
    assert found == [], "\n" + "\n".join(found)


def test_no_docstring_repeats_a_sentence() -> None:
    """A rewrite that left the old paragraph below the new one."""
    found = []
    for one in docstrings():
        sentences = re.split(r"(?<=[.!?:]) ", " ".join(one.text.split()))
        twice = {text for text in sentences if len(text) > 20 and sentences.count(text) > 1}
        found += [f"{one.path}:{one.line}: {text}" for text in sorted(twice) if one.path.startswith("weir/")]
    assert found == [], "\n" + "\n".join(found)


def test_no_comment_begins_in_the_middle_of_a_sentence() -> None:
    begin = re.compile(r"\s*(?:#|/\*|//) (?:Of|By) ")
    found = [
        f"{one.path}:{one.line}: {one.text.strip()[:100]}"
        for one in comments()
        if not one.path.startswith("tests/") and begin.match(one.text)
    ]
    assert found == [], "\n" + "\n".join(found)


def test_a_fragment_is_told_from_a_sentence() -> None:
    assert _FRAGMENT.match("Of all ranks.")
    assert _FRAGMENT.match("What the calls of a write moved.")
    assert not _FRAGMENT.match("Offsets of all ranks.")
    assert not _FRAGMENT.match("The bytes that the calls of a write moved.")
