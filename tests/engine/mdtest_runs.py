"""Running weir-io mdtest and find in tests, one after the other in one launch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tests.engine.runs import Done, Engine


def cells(engine: Engine, ranks: int, *lists: Sequence[object]) -> list[Done]:
    """Each list of arguments is a cell of a batch; its first item is the personality."""
    folder = engine.folder
    known = len(list(folder.glob("cell-*")))
    places = [folder / f"cell-{known + i}" for i in range(len(lists))]
    lines = []
    for place, options in zip(places, lists, strict=True):
        place.mkdir()
        lines.append([place.name, ranks, place, *options, f"--json={place / 'out.json'}"])
    (folder / "list").write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
    engine.call(["batch", folder / "list", folder / "status"], ranks)
    codes = [int(line.split("\t")[1]) for line in (folder / "status").read_text().splitlines()]
    return [_done(code, place) for code, place in zip(codes, places, strict=True)]


def _done(code: int, place: Path) -> Done:
    summary = place / "out.json"
    document = json.loads(summary.read_text()) if summary.exists() else {}
    return Done(code, (place / "stdout.txt").read_text(), (place / "stderr.txt").read_text(), document)


def tree(folder: Path) -> dict[str, bytes | None]:
    """All names below the folder; files with what they hold."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }
