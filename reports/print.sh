#!/usr/bin/env bash
# Prints a report without a network and without shell escape. The LaTeX error, if there is one, is the last line.
#   reports/print.sh reports/measurement/main.tex results/local/quick results/local/quick/report.pdf
set -euo pipefail

if [ $# -ne 3 ] || [ ! -f "$1" ] || [ ! -d "$2" ]; then
  echo "print.sh: takes reports/<report>/main.tex, the folder of a study, and the PDF to write" >&2
  exit 2
fi
reports=$(cd "$(dirname "$0")" && pwd)
text=$(realpath "$1")
study=$(realpath "$2")
pdf=$(realpath -m "$3")
work=$study/latex
log=$work/report.log

mkdir -p "$work"
# Text that weir writes itself, such as an acceptance report, has no parts that R draws.
if [ -f "$study/numbers.tex" ]; then
  Rscript "$reports/../analysis/draw.R" contents "$study" "$work/contents.tex"
fi

beside=$(dirname "$text")
export TEXINPUTS=".:$beside:$reports:$study:$study/figures:$study/tables:"
export BIBINPUTS="$beside:$reports:"
export max_print_line=1000 # one message, one line of the log
cd "$work"
# -gg: from the start, so that the files of a run that was killed do no harm.
if ! latexmk -norc -gg -pdf -interaction=nonstopmode -halt-on-error -file-line-error -no-shell-escape \
  -jobname=report "$text"; then
  echo
  sed -n '/^l\.[0-9]/p' "$log" 2>/dev/null | head -1
  grep -m 1 -E '^(!|[^ ]+:[0-9]+: )' "$log" 2>/dev/null || echo "latexmk failed before LaTeX said why; see above"
  exit 1
fi
grep -E '^(Overfull|LaTeX Warning: (Reference|Citation|Label)|Package weir Warning)' "$log" | sort -u | sed 's/^/warning: /' || true
cp report.pdf "$pdf.part"
mv "$pdf.part" "$pdf"
