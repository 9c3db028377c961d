"""How processors are clocked, of /sys and /proc as kernels write them."""

from pathlib import Path

import pytest

from weir.collect.tally import NOT_KNOWN, power_text
from weir.measure.machine.host import host_facts, power_of


def written(folder: Path, **files: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(f"{content}\n")


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """Two processors of an Intel machine, of which the second has another governor."""
    shared = tmp_path / "sys/devices/system/cpu"
    for number, governor in enumerate(("performance", "powersave")):
        policy = shared / f"cpufreq/policy{number}"
        written(
            policy,
            scaling_driver="intel_pstate",
            scaling_governor=governor,
            energy_performance_preference="performance",
            scaling_min_freq=800000,
            scaling_max_freq=3500000,
        )
        cpu = shared / f"cpu{number}"
        written(cpu / "cpuidle/state0", name="POLL", disable=0)
        written(cpu / "cpuidle/state3", name="C6", disable=number)
        (cpu / "cpufreq").symlink_to(policy)
    written(shared / "intel_pstate", no_turbo=1)
    written(shared / "cpuidle", current_driver="intel_idle", current_governor_ro="menu")
    written(
        tmp_path / "sys/class/powercap/intel-rapl:0",
        name="package-0",
        constraint_0_power_limit_uw=225 * 10**6,
    )
    written(tmp_path / "sys/class/powercap/intel-rapl:0:0", name="dram", constraint_0_power_limit_uw=10**6)
    lines = "".join(f"processor\t: {number}\ncpu MHz\t\t: {800 + 1000 * number}.5\n\n" for number in (0, 1))
    written(tmp_path / "proc", cpuinfo=lines)
    return tmp_path


def test_governor_limits_boost_idle_states_and_power(system: Path) -> None:
    power = power_of([0, 1], system / "sys", system / "proc")
    assert power["mhz"] == 1300.5
    assert power_text(power) == (
        "governor performance and powersave, driver intel_pstate, preference performance, 800 to 3500 MHz, "
        "boost off, idle states by intel_idle and menu, without C6, package-0 at most 225 W"
    )


def test_only_the_processors_that_the_process_may_use_count(system: Path) -> None:
    power = power_of([0], system / "sys", system / "proc")
    assert (power["governors"], power["idle_disabled"], power["mhz"]) == (["performance"], [], 800.5)


@pytest.mark.parametrize(("boost", "text"), [("0", "boost off"), ("1", "boost on")])
def test_the_boost_of_other_drivers(boost: str, text: str, system: Path) -> None:
    shared = system / "sys/devices/system/cpu"
    (shared / "intel_pstate/no_turbo").unlink()
    written(shared / "cpufreq", boost=boost)
    assert text in str(power_text(power_of([0], system / "sys", system / "proc")))


def test_where_the_kernel_does_not_tell_it_is_not_known(tmp_path: Path) -> None:
    assert power_text(power_of([0], tmp_path, tmp_path)) == NOT_KNOWN
    assert power_text(None) is None  # of an older run


def test_it_is_among_the_facts_of_the_node(tmp_path: Path) -> None:
    assert power_text(host_facts(tmp_path)["power"])
