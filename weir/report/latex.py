"""Text from files and machines as LaTeX prints it: names and commands may hold any character.

analysis/R/latex.R does the same for the tables that R writes. The reports load textcomp for the quotes.
"""

from __future__ import annotations

import re

_SIGNS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": "{-}",  # two of them are no dash
    "–": "--",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "µ": r"$\mu$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    # They would belong to the line break before a row if they began it.
    **{sign: f"{{{sign}}}" for sign in "[]*"},
}
# The fonts have the letters of western Europe; a character that they lack would end the printing.
_LACKING = re.compile("[^ -~\u00a1-\u00ac\u00ae-\u00ff–—‘’‚“”•…≥≤]")
# No line begins with the unit of its number, nor with that of an interval; analysis/R/latex.R has the same.
NUMBER_AND_UNIT = re.compile(
    r"(?:(?<=[0-9])|(?<=[0-9]\{\]\})) (?=(?:\\%|(?:[KMGTP]i?|k)?B(?:/s)?|(?:[nmu]|\$\\mu\$)?s|min|h|"
    r"[kM]?(?:op|IOP|iop)s?/s|k?IOPS|G?bit/s|[KMGT]b/s|mm)(?![A-Za-z0-9_/-]))"
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


_LONGEST = 2_000  # more fills pages


def latex(text: object) -> str:
    """The text, character by character; one that the fonts lack by its number."""
    whole = str(text)
    text = whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]}..."
    plain = _LACKING.sub(lambda found: f"[U+{ord(found[0]):04X}]", _CONTROLS.sub(" ", str(text)))
    return NUMBER_AND_UNIT.sub("~", "".join(_SIGNS.get(sign, sign) for sign in plain))


def latex_path(text: object) -> str:
    """Commands and paths, in which a line may end after any slash and equals sign."""
    return latex(text).replace("/", r"/\allowbreak{}").replace("=", r"=\allowbreak{}")
