"""weir's own folder on a target: made, marked, and the only thing there that weir ever deletes."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from weir.errors import WeirError

MARKER = ".weir-owned"


class Workspace:
    """<target folder>/weir-<token>/, where the token stands for one batch of one results folder.

    The marker inside names that results folder. A folder of that name without our marker is somebody else's:
    it stops the batch and is left alone.
    """

    def __init__(self, target_folder: Path, results: Path, batch: str) -> None:
        self._owner = f"{results.resolve()}#{batch}"
        token = hashlib.sha256(self._owner.encode()).hexdigest()[:10]
        self.target_folder = target_folder
        self.folder = target_folder / f"weir-{token}"

    def claim(self) -> None:
        """Make the folder, after removing what a killed predecessor of this batch left."""
        if self.folder.exists() or self.folder.is_symlink():
            self.remove()
        self.folder.mkdir()
        marker = self.folder / MARKER
        try:
            marker.write_text(json.dumps({"owner": self._owner}) + "\n", encoding="utf-8")
        except OSError:  # a full target: leave nothing that looks like somebody else's
            marker.unlink(missing_ok=True)
            self.folder.rmdir()
            raise

    def run_folder(self, cell_id: str, run: int) -> Path:
        folder = self.folder / f"{cell_id}-{run:03d}"
        folder.mkdir()
        return folder

    def remove_run(self, folder: Path) -> None:
        if folder.parent != self.folder:
            raise WeirError(f"{folder} is not below {self.folder}: not removed")
        shutil.rmtree(folder, ignore_errors=True)

    def remove(self) -> None:
        """Delete the folder if, and only if, it carries our marker."""
        if not self.folder.exists():
            return
        if self.folder.is_symlink() or not self._is_ours():
            raise WeirError(
                f"{self.folder} exists and was not made by this results folder",
                hint="move it away, or measure from the checkout that made it",
            )
        # The marker goes last, so that an interrupted removal is recognised and finished next time.
        for entry in self.folder.iterdir():
            if entry.name == MARKER:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        (self.folder / MARKER).unlink(missing_ok=True)
        self.folder.rmdir()

    def _is_ours(self) -> bool:
        names = {entry.name for entry in self.folder.iterdir()}
        try:
            text = (self.folder / MARKER).read_text(encoding="utf-8") if MARKER in names else ""
            if not text and names <= {MARKER}:
                return (
                    True  # killed between mkdir and the end of the marker, or before rmdir: nothing to lose
                )
            marker = json.loads(text)
        except (OSError, ValueError):
            return False
        return isinstance(marker, dict) and marker.get("owner") == self._owner
