"""A copy of the checkout whose site has the private batch system; snakemake and reframe on its login node."""

import re
from dataclasses import dataclass

from tests.queues.nodes import Cluster
from tests.slurm.checkout import BIN, Checkout

LINES = {
    r"launcher: srun": "launcher: {launcher}",
    r"scheduler: slurm": "scheduler: {scheduler}",
    r"scheduler_options: .*": "scheduler_options: [{options}]",
    r"launcher_options: .*": "launcher_options: []",
    r"OMPI_MCA_(pml|mtl).*": "",
}


@dataclass
class QueueCheckout(Checkout):
    cluster: Cluster

    def use(self, scheduler: str, options: str, launcher: str) -> None:
        file = self.folder / "config" / "sites" / "sandbox" / "site.yaml"
        text = file.read_text()
        values = {"scheduler": scheduler, "options": options, "launcher": launcher}
        for old, new in LINES.items():
            text, count = re.subn(old, new.format(**values), text)
            assert count, f"{old} is not in {file}"
        file.write_text(text)

    def on_login_node(self) -> list[str]:
        return [*self.cluster.on("login"), "env", "-C", str(self.folder)]

    def snakemake_words(self, *arguments: str) -> list[str]:
        records = str((self.results / self.study / "records.csv").relative_to(self.folder))
        start = [str(BIN / "snakemake"), "--profile", "profiles/queue", "--nocolor", "--latency-wait", "10"]
        return [*start, "--seconds-between-status-checks", "1", *arguments, "--", records]

    def assert_clean(self) -> None:
        assert list(self.target.iterdir()) == []
