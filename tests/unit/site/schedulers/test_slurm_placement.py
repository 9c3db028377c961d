"""What Slurm reports of a job's nodes, beside what the site requested."""

from collections.abc import Sequence

import pytest

from weir.site.schedulers.slurm import has_features, options, placement

JOB = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-3]"}
TOPOLOGY = """\
SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-2]
SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n[3-4]
SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=s1,s2
"""
NAMES = {"n[1-3]": "n1\nn2\nn3\n", "n[1-2]": "n1\nn2\n", "n[3-4]": "n3\nn4\n", "n[8-9]": "n8\nn9\n"}


def slurm(arguments: Sequence[str]) -> str:
    """Answers in the form of Slurm 22.05; sinfo names a node once for each of its partitions."""
    if arguments[:3] == ["scontrol", "show", "hostnames"]:
        return NAMES[arguments[3]]
    if arguments == ["scontrol", "show", "job", "7"]:
        return "JobId=7\n   OverSubscribe=NO Contiguous=0\n   Switches=1@00:05:00\n"
    if arguments == ["scontrol", "show", "topology"]:
        return TOPOLOGY
    assert arguments == ["sinfo", "-h", "-N", "-n", "n1,n2,n3", "-o", "%N|%b"]
    return "n1|nvme,ib\nn1|nvme,ib\nn2|nvme,ib\nn3|(null)\n"


def test_nodes_by_switch_and_feature_beside_what_was_requested() -> None:
    scheduler_options = ["--partition=p", "--exclusive", "--switches=1@2:00", "-C", "nvme", "-xn[8-9]"]
    assert placement(scheduler_options, JOB, slurm) == {
        "requested": {"switches": 1, "constraint": "nvme", "exclude": ["n8", "n9"], "alone": True},
        "alone": True,
        "groups": [
            {"switch": "s1", "features": ["nvme", "ib"], "fits": True, "nodes": ["n1", "n2"]},
            {"switch": "s2", "features": [], "fits": False, "nodes": ["n3"]},
        ],
    }


def test_a_slurm_that_says_nothing_is_no_error() -> None:
    def hostnames_only(arguments: Sequence[str]) -> str:
        return slurm(arguments) if arguments[2] == "hostnames" else ""

    found = placement([], JOB, hostnames_only)
    assert found is not None
    assert found["alone"] is None
    assert found["groups"] == [{"switch": None, "features": None, "fits": None, "nodes": ["n1", "n2", "n3"]}]


def test_outside_of_a_job_nobody_is_requested() -> None:
    assert placement(["--exclusive"], {}, lambda arguments: pytest.fail(f"requested {arguments}")) is None


@pytest.mark.parametrize(
    ("scheduler_options", "alone"),
    [(["--exclusive"], True), (["--exclusive=user"], False), (["--exclusive", "-A", "x"], True), ([], False)],
)
def test_nodes_of_ones_own(scheduler_options: list[str], alone: bool) -> None:
    assert options(scheduler_options)["alone"] is alone


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        ("nvme", True),
        ("gpu", False),
        ("nvme&ib", True),
        ("nvme,gpu", False),
        ("gpu|ib", True),
        ("gpu|opa", False),
        ("gpu|ib&nvme", None),
        ("[rack1|rack2]", None),
        ("nvme*2", None),
    ],
)
def test_constraints(constraint: str, expected: bool | None) -> None:
    assert has_features(constraint, ["nvme", "ib"]) is expected
