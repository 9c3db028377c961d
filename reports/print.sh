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
typeset() {
  latexmk -norc -gg -pdf -interaction=nonstopmode -halt-on-error -file-line-error -no-shell-escape -jobname=report "$text"
}

# A last page of few lines: every page gives it some of its own. Prints the margin that does it, in spread.tex.
spread() {
  awk '/^weir: last page [0-9.]+pt of [0-9.]+pt, page [0-9]+$/ {
    filled = $4 + 0; height = $6 + 0; pages = $8 + 0
    if (filled > 0 && filled < 0.34 * height && pages > 1) {
      given = ((0.37 * height - filled) / (pages - 1)) * 25.4 / 72.27 + 1
      given = given > 25 ? 25 : given
      printf "\\geometry{bottom=%.1fmm,footskip=%.1fmm}\n", 20 + given, 10.5 + given
    }
  }' "$log"
}

rm -f spread.tex
printed=yes
typeset || printed=no
if [ "$printed" = yes ] && [ -n "$(spread)" ]; then
  spread >spread.new
  mv spread.new spread.tex
  typeset || printed=no
fi
if [ "$printed" = no ]; then
  echo
  sed -n '/^l\.[0-9]/p' "$log" 2>/dev/null | head -1
  grep -m 1 -E '^(!|[^ ]+:[0-9]+: )' "$log" 2>/dev/null || echo "latexmk failed before LaTeX said why; see above"
  exit 1
fi
grep -E '^(Overfull|LaTeX Warning: (Reference|Citation|Label)|Package weir Warning)' "$log" | sort -u | sed 's/^/warning: /' || true
cp report.pdf "$pdf.part"
mv "$pdf.part" "$pdf"
