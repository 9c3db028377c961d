"""Whether a study is what was measured: checksums of its files, and what differs from them."""
