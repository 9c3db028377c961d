#!/usr/bin/env bash
# %test of the container that analyses: what each step to the right of the records calls is there and starts.
set -euo pipefail

for program in weir snakemake Rscript latexmk pdflatex; do
    command -v "$program" >/dev/null || { echo "$program is missing" >&2; exit 1; }
done
snakemake --version
weir --version
# The packages that envs/apt/analyse.txt asks for, by the names R knows them.
Rscript -e 'for (package in c("data.table", "ggplot2", "patchwork", "ggridges", "jsonlite", "svglite", "ragg"))
    suppressPackageStartupMessages(library(package, character.only = TRUE)); cat("R", R.version$major, "is complete\n")'
kpsewhich llncs.cls
