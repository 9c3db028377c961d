"""What the catalogue of Snakemake workflows demands of a repository for its list and standardized usage."""

import yaml

from tests.checkout import ROOT

KEYS = {"mandatory-flags", "software-stack-deployment", "report"}
DEPLOYMENTS = {"conda", "apptainer", "apptainer+conda"}


def test_the_catalogue_finds_the_repository() -> None:
    """It searches READMEs for this text, and looks for these files."""
    assert "snakemake workflow" in (ROOT / "README.md").read_text().lower()
    assert (ROOT / "workflow/Snakefile").is_file()
    assert len((ROOT / "config/README.md").read_text().splitlines()) > 10


def test_the_catalogue_reads_how_weir_is_used() -> None:
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert set(usage) == KEYS
    flags = usage["mandatory-flags"]
    assert set(flags) == {"desc", "flags"}
    assert all(isinstance(value, str) for value in flags.values())
    deployed = usage["software-stack-deployment"]
    assert set(deployed) == DEPLOYMENTS
    assert all(isinstance(value, bool) for value in [*deployed.values(), usage["report"]])
    for way, folder in (("conda", "envs/conda"), ("apptainer", "containers")):
        assert deployed[way] == any((ROOT / folder).glob("analyse.*")), f"{way}: {folder} has its file"
