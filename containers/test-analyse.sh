#!/usr/bin/env bash
# %test of the container that analyses: what each step to the right of the records calls is there and starts.
set -euo pipefail
unset CDPATH # cd would search it

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
for program in weir snakemake Rscript latexmk pdflatex; do
    command -v "$program" >/dev/null || { echo "$program is missing" >&2; exit 1; }
done
snakemake --version
weir --version
sed -n 's/^r-cran-\([^ ]*\).*/\1/p' "$top/envs/apt/analyse.txt" | while read -r package; do
    Rscript -e "suppressPackageStartupMessages(library($package))" || { echo "R lacks $package" >&2; exit 1; }
done
kpsewhich booktabs.sty
