"""A figure of a bundle is the same file whenever it is drawn, by cairo 1.16 and by cairo 1.18."""

import shutil
import zlib
from pathlib import Path

import pytest

from tests.programs import ran
from weir.report.bundle.reproduce import without_date

DATES = ("D:20261127041120Z", "D:20261203235959Z")


def info(date: str) -> bytes:
    return f"<< /Producer (cairo)\n   /CreationDate ({date})\n>>".encode()


def compressed(date: str) -> bytes:
    """As cairo 1.18 writes a page: pages, date and catalogue in an object of their own, with their table."""
    held = {1: b"<< /Type /Pages /Kids [ 2 0 R ] /Count 1 >>", 5: info(date)}
    held |= {2: b"<< /Type /Page /Parent 1 0 R /MediaBox [ 0 0 72 72 ] /Contents 3 0 R >>"}
    held |= {6: b"<< /Type /Catalog /Pages 1 0 R >>"}
    starts, text = [], b""
    for part in held.values():
        starts.append(len(text))
        text += part + b"\n"
    first = b"\n".join(b"%d %d" % pair for pair in zip(held, starts, strict=True)) + b"\n"
    packed, page = zlib.compress(first + text), zlib.compress(b"0 0 72 72 re f")
    holder = b"<< /Type /ObjStm /Length 7 0 R /N 4 /First %d /Filter /FlateDecode >>\nstream\n%b\nendstream"
    objects = {3: b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(page), page)}
    objects |= {4: holder % (len(first), packed), 7: b"   %d" % len(packed)}
    pdf, rows = b"%PDF-1.7\n%\xb5\xed\xae\xfb\n", {0: (0, 0, 65535)}
    for number, part in objects.items():
        rows[number] = (1, len(pdf), 0)
        pdf += b"%d 0 obj\n%b\nendobj\n" % (number, part)
    rows |= {number: (2, 4, index) for index, number in enumerate(held)} | {8: (1, len(pdf), 0)}
    data = b"".join(b"%c" % k + a.to_bytes(2) + b.to_bytes(2) for _, (k, a, b) in sorted(rows.items()))
    table = zlib.compress(data)
    roots = b"/Size 9\n /W [1 2 2]\n /Root 6 0 R\n /Info 5 0 R"
    last = b"8 0 obj\n<< /Type /XRef /Length %d /Filter /FlateDecode %b >>\nstream\n%b\nendstream\nendobj\n"
    return pdf + last % (len(table), roots, table) + b"startxref\n%d\n%%%%EOF\n" % len(pdf)


def test_a_date_between_other_objects_keeps_its_length() -> None:
    before, after = (b"%PDF-1.5\n5 0 obj\n" + info(date) + b"\nendobj\n" for date in DATES)
    assert without_date(before) == without_date(after)
    assert len(without_date(before)) == len(before)
    assert b"(D:00000000000000Z)" in without_date(before)


def test_a_date_among_compressed_objects_is_taken_out(tmp_path: Path) -> None:
    before, after = map(compressed, DATES)
    assert before != after
    plain = without_date(before)
    assert plain == without_date(after) == without_date(plain)
    assert b"(D:00000000000000Z)" in plain
    if not shutil.which("pdfinfo"):
        pytest.skip("pdfinfo is not installed: whether the result is a PDF was not looked at")
    (tmp_path / "plain.pdf").write_bytes(plain)
    done = ran(["pdfinfo", tmp_path / "plain.pdf"], errors="replace", code=0)
    assert "Page size:       72 x 72 pts" in done.stdout
    assert done.stderr == ""
