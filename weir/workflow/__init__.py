"""What Snakemake and ReFrame call: the study of a plan, its progress, one workflow after another."""
