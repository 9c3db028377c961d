"""The entry of Snakemake and ReFrame: the study of a plan, its progress, one workflow after another."""
