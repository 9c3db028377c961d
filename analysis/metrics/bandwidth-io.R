metric("bandwidth-io", bandwidth_io, unit = "MiB/s", better = "higher", words = "bandwidth of the transfers alone")
