"""As findings.py: latencies that do not fit the rate of the operations."""

from tests.unit.audit.subjects import alone, cases, noted
from weir.audit import Subject

# Four jobs with a queue of 8: 32 operations in flight at 8,000 a second take 4 ms each.
_QUEUED = {"nn": None, "ppn": None, "iodepth": 8, "ops_s": 8000.0, "sync": False}
_IN_FLIGHT = {"in_flight": {"count": 32, "exact": True}}
_COMPLETION = {"lat_min_us": 1.0, "lat_p50_us": 2.5, "lat_p99_us": 4.0, "lat_max_us": 10.3}
_WHOLE = {"lat_min_us": 100.0, "lat_p50_us": 3900.0, "lat_p99_us": 9000.0, "lat_max_us": 43232.0}

FOUND = {
    "latency-not-depth-over-rate": [
        noted(
            "32 in flight at 8000 operations/s take 4000 us each, the mean of the latencies is at most",
            alone(observed=_IN_FLIGHT, **_QUEUED, **_COMPLETION),
        ),
        noted(
            "the mean of the latencies is at least",
            alone(
                observed=_IN_FLIGHT, **_QUEUED, **_COMPLETION | {"lat_p50_us": 20000.0, "lat_p99_us": 30000.0}
            ),
        ),
    ]
}
FINDS = cases(FOUND)
FITS: list[Subject] = [
    alone(observed=_IN_FLIGHT, **_QUEUED, **_WHOLE),
    # The tail is long enough for a mean of 4 ms.
    alone(observed=_IN_FLIGHT, **_QUEUED, **_COMPLETION | {"lat_max_us": 900000.0}),
    alone(observed=_IN_FLIGHT, **_QUEUED | {"sync": True}, **_COMPLETION),
    alone(observed=_IN_FLIGHT, **_QUEUED, **_COMPLETION, rw_mix=50),
    alone(observed={}, **_QUEUED, **_COMPLETION),
    alone(observed={}, **_QUEUED | {"nn": 2, "ppn": 2}, **_WHOLE),
]
