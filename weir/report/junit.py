"""Answers as JUnit, which a centre's CI shows: a suite of test cases with its counts."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree

FAILURE, ERROR, SKIPPED = "failure", "error", "skipped"


class JunitCase(NamedTuple):
    """A test case; kind: FAILURE, ERROR or SKIPPED, empty for one that passed."""

    group: str
    name: str
    kind: str
    message: str
    text: str = ""


def junit(name: str, tests: int, cases: Sequence[JunitCase]) -> str:
    """A suite. tests: the number of what was decided; a case beyond them tells why nothing can be."""
    found = Counter(one.kind for one in cases)
    suite = ElementTree.Element("testsuite", name=name, tests=str(tests))
    suite.attrib |= {"failures": str(found[FAILURE]), "errors": str(found[ERROR])}
    for one in cases:
        case = ElementTree.SubElement(suite, "testcase", classname=one.group, name=one.name)
        if one.kind:
            ElementTree.SubElement(case, one.kind, message=one.message).text = one.text
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
