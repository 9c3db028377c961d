#!/usr/bin/env bash
# Prints a report without a network and without shell escape. The LaTeX error, if there is one, is the last line.
#   reports/print.sh reports/measurement/main.tex results/local/quick results/local/quick/report.pdf
set -euo pipefail +C # BASH_ENV may have set noclobber
unset CDPATH # cd would search it

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

# TeX expands braces in its paths, and latexmk drops quotes: they get no names of the folders above the checkout.
text=$(realpath --relative-to="$work" "$text")
reports=$(realpath --relative-to="$work" "$reports")
beside=$(dirname "$text")
export TEXINPUTS=".:$beside:$reports:..:../figures:../tables:"
export BIBINPUTS="$beside:$reports:"
export max_print_line=1000 # one message, one line of the log
export openin_any=a        # with p, TeX reads no file by its whole path
unset BSTINPUTS            # it may leave out the styles of BibTeX itself
cd "$work"
typeset() { # -g: what stands beside it is as the text is now; -gg: it may be of a run that was killed, and goes
  latexmk -norc "$1" -pdf -interaction=nonstopmode -halt-on-error -file-line-error -no-shell-escape -jobname=report "$text"
}

# The log has for each page how high it is filled. Prints how many have a gap: the last one where it is less than a third
# full ("short"), others below three quarters.
# shellcheck disable=SC2016 # what has dollars are fields of awk
filled='/^weir: page [0-9]+ filled -?[0-9.]+pt of [0-9.]+pt$/ {share[++pages] = $5 / $7; lack = 0.37 * $7 - $5}'
gaps() {
  awk "$filled"' END {
    for (page = 1; page < pages; page++) if (share[page] < 0.75) count++
    if (pages > 1 && share[pages] < 0.34) {count++; short = " short"}
    print count + 0 short
  }' "$log"
}

# What each page could give the last one, in mm. A page of figures gives nothing, so that more or less may do.
given_by_each() {
  awk "$filled"' END {
    given = lack / (pages - 1) * 25.4 / 72.27 + 1
    count = split("1 1.5 2 0.5", times, " ")
    for (try = 1; try <= count; try++) print (given * times[try] > 25) ? 25 : given * times[try]
    print -3
  }' "$log"
}

typeset_with() { # MM: what each page gives
  awk -v given="$1" 'BEGIN {printf "\\geometry{bottom=%.1fmm,footskip=%.1fmm}\n", 20 + given, 10.5 + given}' >spread.tex
  typeset -g
}

rm -f spread.tex
printed=yes
typeset -gg || printed=no
best=0 given=0 tried=""
if [ "$printed" = yes ]; then
  fewest=$(gaps)
  case $fewest in *short) tried=$(given_by_each) ;; esac
fi
for given in $tried; do
  typeset_with "$given" || printed=no
  [ "$printed" = yes ] || break
  found=$(gaps)
  if [ "${found% short}" -lt "${fewest% short}" ]; then
    best=$given fewest=$found
  fi
  [ "$found" != 0 ] || break
done
if [ "$printed" = yes ] && [ "$given" != "$best" ]; then
  typeset_with "$best" || printed=no
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
