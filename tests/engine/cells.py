"""Running several command lines of weir-io in tests, one after the other in one launch."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.engine.runs import LIMIT_S, Done, Engine

Together = Callable[..., dict[str, Done]]


def cells(
    engine: Engine,
    ranks: int,
    *lists: Sequence[object],
    documented: bool = True,
    environment: Mapping[str, str] | None = None,
) -> list[Done]:
    """Each list, of a personality and its arguments, is a cell of a batch; CELL is its own folder."""
    folder = engine.folder
    known = len(list(folder.glob("cell-*")))
    places = [folder / f"cell-{known + i}" for i in range(len(lists))]
    lines = []
    for place, options in zip(places, lists, strict=True):
        place.mkdir()
        document = [f"--json={place / 'out.json'}"] if documented else []
        own = [str(option).replace("CELL", str(place)) for option in options]
        lines.append([place.name, ranks, place, *own, *document])
    (folder / "list").write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
    limit_s = min(10, len(lists)) * LIMIT_S
    done = engine.call(["batch", folder / "list", folder / "status"], ranks, environment, limit_s)
    codes = [int(line.split("\t")[1]) for line in (folder / "status").read_text().splitlines()]
    assert len(codes) == len(places), done.err
    return [_done(code, place) for code, place in zip(codes, places, strict=True)]


def _done(code: int, place: Path) -> Done:
    summary = place / "out.json"
    document = json.loads(summary.read_text()) if summary.exists() else {}
    out, err = ((place / name).read_text() for name in ("stdout.txt", "stderr.txt"))
    return Done(code, out, err, document, place)


def tree(folder: Path) -> dict[str, bytes | None]:
    """All names below the folder; files with what they hold."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }
