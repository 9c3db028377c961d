metric("bandwidth", bandwidth_all, unit = "MiB/s", better = "higher")
