"""Files in the node's memory, through MPI-IO, HDF5 and NetCDF-4."""

import subprocess
from pathlib import Path

import pytest

from tests.ime.pool import Helper, Launch


def expect(done: subprocess.CompletedProcess[str], text: str) -> None:
    assert done.returncode == 0, done.stdout + done.stderr
    assert text in done.stdout


def test_views_on_two_ranks(helper: Helper, launch: Launch, tmp_path: Path) -> None:
    done = launch(helper("pool_model", None), 2, tmp_path / "ordinary", 60, 1)
    expect(done, "60 rounds on 2 ranks, no difference")


@pytest.mark.parametrize("ranks", [1, 2, 3, pytest.param(4, marks=pytest.mark.weekly)])
def test_views_of_many_kinds(ranks: int, helper: Helper, launch: Launch, tmp_path: Path) -> None:
    done = launch(helper("pool_model", None), ranks, tmp_path / "ordinary", 500, 40 + ranks)
    expect(done, f"500 rounds on {ranks} ranks, no difference")


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_hdf5(ranks: int, helper: Helper, launch: Launch) -> None:
    done = launch(helper("pool_hdf5", "hdf5-openmpi"), ranks, "xpd:file.h5")
    expect(done, f"8 datasets on {ranks} ranks are right")


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_netcdf(ranks: int, helper: Helper, launch: Launch) -> None:
    done = launch(helper("pool_netcdf", "netcdf-mpi"), ranks, "xpd:file.nc")
    expect(done, f"2 variables on {ranks} ranks are right")


def test_other_names_go_to_the_file_system(helper: Helper, launch: Launch, tmp_path: Path) -> None:
    done = launch(helper("pool_hdf5", "hdf5-openmpi"), 2, tmp_path / "file.h5")
    expect(done, "8 datasets on 2 ranks are right")
    # It was there, and was deleted there; a checkout with spaces in its path has links to its libraries.
    assert [one for one in tmp_path.iterdir() if not one.is_symlink()] == []


def test_a_failed_open_says_why(helper: Helper, launch: Launch) -> None:
    done = launch(helper("pool_hdf5", "hdf5-openmpi"), 1, "xpd:")
    assert done.returncode != 0
    assert "cannot open the file" in done.stderr
