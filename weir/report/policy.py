"""The Content-Security-Policy of a page: it requests nothing, and runs the scripts that weir wrote into it.

Names and texts of a study come from external files. They are escaped; should one pass all the same, the
browser neither runs it nor sends anything.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Sequence

# The policy of a page with figures: styles of SVG files are attributes, which have no hashes.
ANY_STYLE = "'unsafe-inline'"


def policy(scripts: Sequence[str] = (), styles: Sequence[str] = (), any_style: bool = False) -> str:
    """The policy of a page with these inline scripts and styles, each as it stands between its tags."""
    style = ANY_STYLE if any_style else _sources(styles)
    parts = ("default-src 'none'", f"script-src {_sources(scripts)}", f"style-src {style}")
    return "; ".join((*parts, "img-src data:", "base-uri 'none'", "form-action 'none'"))


def policy_element(scripts: Sequence[str] = (), styles: Sequence[str] = ()) -> str:
    """The same as an element of the head, before all that it is about."""
    content = html.escape(policy(scripts, styles), quote=True)
    return f'<meta http-equiv="Content-Security-Policy" content="{content}">'


def _sources(texts: Sequence[str]) -> str:
    hashes = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{each}'" for each in hashes) or "'none'"
