"""The study of the tests of report.html: drawn once, by whichever process comes first, and read by all."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.made_once import made_once
from tests.workflow.browser import open_page
from tests.workflow.report_study import MIB, Record, draw, facts_of, record, write_study


def rows() -> list[Record]:
    """Two targets, one of them emulated, two interfaces, six rounds; one record is degraded."""
    made = []
    for target, emulated, factor in (("disk", False, 1.0), ("buffer", True, 9.0)):
        for api, share in (("POSIX", 1.0), ("MPIIO", 0.7)):
            for xfer in (16384, MIB):
                for access, speed in (("write", 1000.0), ("read", 2000.0)):
                    for number in range(6):
                        value = speed * factor * share * (0.5 if xfer < MIB else 1.0) * (1 + number / 100)
                        cell = f"{target}-{api}-{xfer}"
                        made.append(
                            record(access, value, target=target, emulated=emulated, api=api, xfer_bytes=xfer)
                            | {"cell": cell, "label": cell, "run": number, "iteration": 0}
                            | {"lat_histogram": f"3:90;0;{number}" if target == "disk" else ""}
                            | {"source": f"runs/{cell}/{number:03d}/summary.json"}
                            | {"notes": "machine-busy: load 4.7 on 2 cores" if number == 0 else ""}
                        )
    made[0] |= {"verdict": "DEGRADED", "reasons": "sync-not-applied", "evidence": "requests, not done"}
    return made


def drawn_study(folders: pytest.TempPathFactory) -> Path:
    """The folder of report.html; no test changes it."""
    return made_once(folders, "page", _draw_study) / "nowhere" / "synthetic"


def _draw_study(root: Path) -> None:
    folder = root / "nowhere" / "synthetic"
    write_study(folder, rows(), facts_of(rows(), digest=64 * "a"))
    for row in rows():
        run_file = folder.parent / Path(row["source"]).with_name("run.json")
        run_file.parent.mkdir(parents=True, exist_ok=True)
        run_file.write_text(
            json.dumps({"command": ["mpirun", "-np", "2", "weir-io", "ior", "-a", row["api"]]})
        )
    draw(folder)


def answers_of(shown: str) -> str:
    return re.sub(r"<[^>]+>", " ", shown.split('id="answers"', 1)[1].split('id="chart"', 1)[0])


FACTS = re.compile(r'(?<=<script type="application/json" id="facts">)(.*?)(?=</script>)', re.DOTALL)


def facts_on(study: Path) -> dict[str, Any]:
    found = FACTS.search((study / "report.html").read_text())
    assert found is not None
    facts: dict[str, Any] = json.loads(found[0])
    return facts


def page_of(facts: dict[str, Any], study: Path, scratch: Path) -> str:
    """What the page of the study shows with other facts."""
    text = json.dumps(facts).replace("</", "<\\/")
    (scratch / "report.html").write_text(FACTS.sub(lambda _: text, (study / "report.html").read_text()))
    done = open_page(scratch, scratch, "--window-size=1280,800", "--dump-dom")
    shown = re.sub(r"<script.*?</script>", "", done.stdout.split("<main id=", 1)[1], flags=re.DOTALL)
    assert "PAGE ERROR" not in shown
    return shown
