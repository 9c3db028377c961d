import json

import pytest

from weir.measure.nodes import NodeTimes, main, read_probes, slow_nodes


def probes(*processor_s: float) -> list[NodeTimes]:
    return [NodeTimes(f"n{number}", {"processor": time}) for number, time in enumerate(processor_s)]


def test_one_node_among_equals_stands_out() -> None:
    (slow,) = slow_nodes(probes(1.0, 1.1, 0.9, 2.0))
    assert (slow.node, slow.kind) == ("n3", "processor")
    assert str(slow) == "n3: processor takes 1.9 times the median of all nodes"


def test_equal_nodes_do_not() -> None:
    assert slow_nodes(probes(1.0, 1.2, 0.8, 1.4)) == []


def test_of_two_nodes_nobody_knows_which_is_slow() -> None:
    assert slow_nodes(probes(1.0, 9.0)) == []


def test_each_kind_of_work_has_its_own_median() -> None:
    nodes = [NodeTimes(f"n{n}", {"processor": 1.0, "storage": 0.1 if n else 0.5}) for n in range(4)]
    assert [(slow.node, slow.kind) for slow in slow_nodes(nodes)] == [("n0", "storage")]


def test_probes_are_found_among_what_launchers_print() -> None:
    line = json.dumps({"node": "b", "times_s": {"processor": 1.0}})
    other = json.dumps({"node": "a", "times_s": {"processor": 2.0}})
    output = f"srun: job 7 has been allocated\n{line}\n[1, 2]\n{other}\n{{}}\n"
    assert [probe.node for probe in read_probes(output)] == ["a", "b"]


@pytest.mark.slow
def test_a_probe_prints_its_node_and_its_times(
    capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    main([str(tmp_path_factory.mktemp("target"))])
    (probe,) = read_probes(capsys.readouterr().out)
    assert set(probe.times_s) == {"processor", "memory", "storage"}
    assert min(probe.times_s.values()) > 0
