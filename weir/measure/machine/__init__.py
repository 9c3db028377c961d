"""What describes a node and the storage below a folder."""
