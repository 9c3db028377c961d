"""One cell of each personality, as a list for `weir-io batch`."""

from pathlib import Path

from tests.engine.runs import argv

SHAPE = ["-b", "64k", "-t", "8k", "-s", "2", "-i", "2"]


def every_personality(folder: Path) -> list[str]:
    """Writes the file `list`; the names of the cells, each of which gets a folder of its own."""
    (folder / "gauge").write_text("counter 1\n")
    samples = ["--samples", folder / "samples", "--sample-every", "0.01", "--counters", folder / "gauge"]
    cells: dict[str, list[object]] = {
        "ior": ["ior", "-a", "URING", "-w", "-r", "-R", "-G", "1", *SHAPE, "-o", "i"],
        "mdtest": ["mdtest", "-n", "8", "-w", "3901", "-e", "3901", "-X", "-d", "tree"],
        "madbench": ["madbench", "-p", "32", "--verify", "-o", "m"],
        "io-model": ["io-model", "-w", "-r", "--verify", "-n", "16", "-t", "4k", "-o", "p", *samples],
        "netcdf": [*argv("netcdf-bench -n=1 -p=2 -d=4:4:4:2 -w -r --verify --values=position -f=n.nc")],
        "find": ["find", "."],
    }
    lines = []
    for name, arguments in cells.items():
        (folder / name).mkdir()
        lines.append("\t".join([name, "2", str(folder / name), *map(str, arguments)]))
    (folder / "list").write_text("\n".join(lines) + "\n")
    return list(cells)
