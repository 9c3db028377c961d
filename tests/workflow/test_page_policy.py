"""Pages that weir writes request nothing and run its own scripts only, whatever the texts in them hold."""

import html
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.unit.decide.accept.compliant import cells_of
from tests.unit.decide.accept.compliant import write_study as write_measured
from tests.unit.report.rounds import small_plan
from tests.workflow.browser import CHROMIUM, open_page
from tests.workflow.page_study import drawn_study
from weir.cli import main
from weir.data import data_folder
from weir.decide.accept.contract import read_contract
from weir.report.live import LiveStudy
from weir.report.page import page_text, policy_element

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium to open the page with"),
]
PAGES = ("report", "table", "live", "site", "acceptance")


@dataclass
class Listener:
    """A server on this machine that answers nothing and notes what is requested."""

    port: int = 0
    paths: list[str] = field(default_factory=list)


@pytest.fixture
def listener() -> Iterator[Listener]:
    found = Listener()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.paths.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:
            """Not on stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The text of a page of each kind."""
    study = drawn_study(tmp_path_factory)
    folder = tmp_path_factory.mktemp("pages")
    tables = sorted((study / "tables").glob("*.html"), key=lambda file: file.stat().st_size)
    assert main(["site", str(study.parent), "--out", str(folder / "site.html")]) == 0
    contract = read_contract(data_folder("config") / "contracts/mistral-2015.yaml")
    measured = write_measured(folder / "measured", cells_of(contract, {"hdf5-read": 1000.0}))
    arguments = ["accept", "mistral-2015", str(measured), "--report", str(folder), "--unverified"]
    assert main(arguments) in (0, 1)
    live = LiveStudy(small_plan(folder), folder).facts()
    live["live"]["reload_s"] = 3600.0  # not while a test looks at it
    return {
        "report": (study / "report.html").read_text(),
        "table": tables[-1].read_text(),
        "live": page_text(live),
        "site": (folder / "site.html").read_text(),
        "acceptance": (folder / "acceptance.html").read_text(),
    }


def injected(text: str, port: int) -> str:
    """The page as if a hostile name had passed its escaping, at the begin of its body."""
    server = f"http://127.0.0.1:{port}"
    hostile = (
        "<script>document.title = 'HOSTILE SCRIPT RAN'</script>"
        f"<script src='{server}/script'></script><img src='{server}/image'>"
        "<img src='data:,x' onerror=\"document.title = 'HOSTILE HANDLER RAN'\">"
        f"<link rel=stylesheet href='{server}/style'><iframe src='{server}/frame'></iframe>"
        f"<form id=f action='{server}/form'></form><object data='{server}/object'></object>"
        f"<p style=\"background: url('{server}/background')\">text</p>"
        "<svg onload=\"document.title = 'HOSTILE SVG RAN'\"></svg>"
    )
    head, tag, tail = re.split(r"(<body>|<main>)", text, maxsplit=1)
    return head + tag + hostile + tail


@pytest.mark.parametrize("name", PAGES)
def test_a_page_works_and_requests_nothing(pages: dict[str, str], tmp_path: Path, name: str) -> None:
    """Whatever it requested or ran beyond its policy would be reported as refused."""
    (tmp_path / "report.html").write_text(pages[name])
    steps = "document.querySelectorAll('th')[1]?.click()"
    dom = open_page(tmp_path, tmp_path, "--dump-dom", steps=steps).stdout
    shown = re.sub(r"<(script|style)\b.*?</\1>", "", dom, flags=re.DOTALL)
    assert "PAGE ERROR" not in shown
    if name in ("report", "live"):
        assert len(shown.split('<main id="page">', 1)[1]) > 500  # its own script drew it
    if name == "table":
        assert 'data-up="true"' in shown
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="([^"]+)"', pages[name])[0])
    scripts = "'sha256-" if "<script>" in pages[name] else "'none'"
    assert policy.startswith(f"default-src 'none'; script-src {scripts}")


@pytest.mark.parametrize("name", PAGES)
def test_what_passes_the_escaping_neither_runs_nor_requests(
    pages: dict[str, str], tmp_path: Path, listener: Listener, name: str
) -> None:
    text = injected(pages[name], listener.port)
    (tmp_path / "report.html").write_text(text)
    dom = open_page(tmp_path, tmp_path, "--dump-dom", steps="document.getElementById('f').submit()").stdout
    assert "HOSTILE" not in re.findall(r"<title>(.*?)</title>", dom)[0]
    assert "PAGE ERROR refused" in dom
    assert listener.paths == []


def test_the_same_text_would_request_and_run_without_a_policy(
    pages: dict[str, str], tmp_path: Path, listener: Listener
) -> None:
    """A test of the test."""
    text = injected(pages["site"], listener.port)
    (tmp_path / "report.html").write_text(
        re.sub(r"<meta http-equiv=\"Content-Security-Policy[^>]*>", "", text)
    )
    dom = open_page(tmp_path, tmp_path, "--dump-dom").stdout
    assert "HOSTILE" in dom.split("</title>", 1)[0]
    assert {"/script", "/image", "/style"} <= set(listener.paths)


def test_a_hash_is_that_of_the_script_as_it_stands() -> None:
    element = policy_element(["alert(1)"], ["p {}"])
    assert "script-src &#x27;sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=&#x27;" in element
    assert json.dumps(element).count("sha256-") == 2
