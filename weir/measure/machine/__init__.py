"""Descriptions of a node and of the storage below a folder."""
