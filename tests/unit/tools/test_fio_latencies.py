"""fio: latencies, failed jobs and bandwidths, as its early documents and its tables for people have them."""

import json

import pytest

from tests.unit.imported import run_of
from tests.unit.tools.test_fio import document
from weir.collect.importing import runs_in
from weir.tools import tools
from weir.tools.fio.parse import parse_document


def test_a_latency_is_that_of_the_whole_operation() -> None:
    """libaio with buffered writes waits in the submission: the completion took 2.6 us, an operation 4 ms."""
    one = document()
    counted = one["jobs"][0]["write"]
    completion = {"N": 256, "min": 900, "max": 10300, "mean": 2600.0, "percentile": {"50.000000": 2576}}
    whole = {"N": 256, "min": 1800, "max": 43232000, "mean": 4028000.0}
    counted |= {"clat_ns": completion, "lat_ns": whole}
    (row,) = parse_document(one).rows
    assert (row["lat_min_us"], row["lat_max_us"]) == (1.8, 43232.0)
    assert "lat_p50_us" not in row  # nobody knows it
    assert list(tools()["fio"].latencies({})) == []

    counted["lat_ns"] = whole | {"percentile": {"50.000000": 3900000}}  # --lat_percentiles=1
    (row,) = parse_document(one).rows
    assert row["lat_p50_us"] == 3900.0

    counted["lat_ns"] = {"N": 256, "min": 950, "max": 10400, "mean": 2650.0}
    (row,) = parse_document(one).rows
    assert (row["lat_min_us"], row["lat_p50_us"], row["lat_max_us"]) == (0.95, 2.576, 10.4)


def test_early_documents_have_latencies_without_a_number_of_them() -> None:
    """fio 3.0 to 3.19 prints no N; fio 2 has microseconds and other names."""
    one = document()
    counted = one["jobs"][0]["write"]
    counted["lat_ns"] = {"min": 950, "max": 10400, "mean": 2650.0, "stddev": 1.0}
    counted["clat_ns"] = {"min": 900, "max": 10300, "mean": 2600.0, "percentile": {"50.000000": 2576}}
    (row,) = parse_document(one).rows
    assert (row["lat_min_us"], row["lat_p50_us"], row["lat_max_us"]) == (0.95, 2.576, 10.4)
    del counted["lat_ns"], counted["clat_ns"]
    counted["lat"] = {"min": 0, "max": 7114, "mean": 181.5, "stddev": 9.1}
    counted["clat"] = {
        "min": 1,
        "max": 7113,
        "mean": 180.9,
        "percentile": {"50.000000": 173, "99.000000": 306},
    }
    (row,) = parse_document(one).rows
    assert (row["lat_min_us"], row["lat_p50_us"], row["lat_p99_us"]) == (0.0, 173.0, 306.0)
    counted["clat"] = counted["lat"] = {"min": 0, "max": 0, "mean": 0.0}
    assert "lat_min_us" not in parse_document(one).rows[0]


def test_percentiles_above_the_slowest_operation_are_none() -> None:
    """fio 3.32 printed 17112760320 ns for each percentile of jobs whose slowest operation took 25 ms."""
    one = document()
    counted = one["jobs"][0]["write"]
    counted["lat_ns"] = {"min": 950, "max": 24936222, "mean": 228000.0, "N": 256}
    counted["clat_ns"] = counted["lat_ns"] | {"percentile": {"50.000000": 17112760320}}
    (row,) = parse_document(one).rows
    assert (row["lat_max_us"], row.get("lat_p50_us")) == (24936.222, None)
    counted["clat_ns"]["percentile"] = {"50.000000": 25165824}  # the edge of its class
    assert parse_document(one).rows[0]["lat_p50_us"] == 25165.824
    # Most of these documents have a wrong completion as a whole, too.
    wrong = {"min": 56149583086197, "max": 56188493094817, "mean": 56166104536774.43, "N": 256}
    counted["clat_ns"] = wrong | {"percentile": {"50.000000": 17112760320}}
    (row,) = parse_document(one).rows
    assert (row["lat_max_us"], row.get("lat_p50_us")) == (24936.222, None)


def test_a_document_whose_jobs_failed_is_a_record_with_the_error() -> None:
    """Such as transfers of 128 bytes with O_DIRECT: error 22, and no byte."""
    one = document()
    one["jobs"][0] |= {"error": 22, "write": {"io_bytes": 0, "bw_bytes": 0, "runtime": 0}}
    run = run_of(json.dumps(one))
    (row,) = run.rows
    assert (row["access"], row["api"], row.get("bw_mib_s")) == ("unknown", "POSIX", None)
    assert [message.text for message in run.messages] == ["seq: error 22"]


LATENCIES = """\
four: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-16.0KiB, (T) 4096B-4096B, ioengine=libaio, iodepth=4
fio-3.28
Starting 1 process

four: (groupid=0, jobs=1): err= 0: pid=4711: Sat Mar  7 12:00:00 2026
  read: IOPS=343, BW=1373KiB/s (1406kB/s)(40.2MiB/30001msec)
    slat (nsec): min=900, max=203630, avg=13379.91, stdev=17958.94
    clat (usec): min=464, max=3038.4k, avg=46688.25, stdev=139138.10
     lat (usec): min=483, max=3038.4k, avg=46717.58, stdev=139139.12
    clat percentiles (msec):
     |  1.00th=[    3], 50.00th=[   22], 90.00th=[   84], 95.00th=[  127],
     | 99.00th=[  498], 99.90th=[ 2165], 99.99th=[ 2937]
   bw (  KiB/s): min=    5, max= 2341, per=70.39%, avg=963.61, stdev=680.11, samples=59
  write: IOPS=340, BW=1361KiB/s (1394kB/s)(39.9MiB/30001msec); 0 zone resets
    slat (usec): min=3, max=5000, avg=900.00, stdev=34.68
    clat (nsec): min=291, max=11807k, avg=133490.72, stdev=230961.49
     lat (usec): min=4, max=11809, avg=1033.92, stdev=231.02
    clat percentiles (usec):
     |  1.00th=[   59], 50.00th=[  125], 90.00th=[  153], 99.00th=[  194]
  lat (usec)   : 500=0.01%, 750=0.11%, 1000=0.39%
  cpu          : usr=0.24%, sys=1.09%, ctx=9925, majf=0, minf=25
     issued rwts: total=10301,10210,0,0 short=0,0,0,0 dropped=0,0,0,0

Run status group 0 (all jobs):
"""


def test_latencies_that_fio_prints_for_people() -> None:
    """Percentiles of a completion that hides most of an operation are none of the operation."""
    read, write = run_of(LATENCIES).rows
    names = ("lat_min_us", "lat_p50_us", "lat_p90_us", "lat_p99_us", "lat_p999_us", "lat_max_us")
    assert [read.get(name) for name in names] == [483, 22000, 84000, 498000, 2165000, 3038400]
    assert [write.get(name) for name in names] == [4, None, None, None, None, 11809]
    as_fio_2 = LATENCIES.replace("min=483, max=3038.4k, avg=", "min=  483 , max=3038.4K, avg=")
    assert next(runs_in(as_fio_2))[1].rows[0]["lat_max_us"] == 3038400


def test_a_bandwidth_has_more_digits_than_its_size() -> None:
    """Requests of several sizes leave the bytes open: 1361 KiB/s tell more than 39.9 MiB in 30.001 s."""
    assert run_of(LATENCIES).rows[1]["bw_mib_s"] == pytest.approx(1361 / 1024, rel=5e-4)


@pytest.mark.parametrize("digits", ["9" * 5000, "1.2.3", "..", "9" * 400])
def test_numbers_that_cannot_be_are_none(digits: str) -> None:
    """No text ends an import, whatever stands where a number should."""
    places = ("343,", "1373K", "40.2M", "30001m", "483,", "3038.4k", "46717.58", "[   22]", "10301,", "=4\n")
    for place in places:
        number = place.strip("=[, ]\nmkMK")
        assert place in LATENCIES
        list(runs_in(LATENCIES.replace(place, place.replace(number, digits))))


def test_a_document_with_endless_numbers() -> None:
    one = document()
    counted = one["jobs"][0]["write"]
    for name in ("io_bytes", "runtime", "bw_bytes", "total_ios", "iops"):
        list(runs_in(json.dumps(one | {"jobs": [one["jobs"][0] | {"write": counted | {name: 10**400}}]})))
    counted["lat_ns"] = {"min": 1, "max": 10**400, "mean": float("inf"), "N": 1}
    counted["lat_ns"]["percentile"] = {"50.000000": 2}
    assert run_of(json.dumps(one)).rows[0].get("lat_max_us") is None
