"""Snakemake finds its executor `weir` by the name of this package."""

from weir.site.schedulers.executors.executor import Executor, common_settings

__all__ = ["Executor", "common_settings"]
