# A table as a page of its own for the HTML report: readable, sortable, nothing to fetch.

# A long table is cut at a size that a browser opens at once; all of it is in the CSV file beside it.
most_html_rows <- 3000L

write_html <- function(part, table, stem) {
  writeLines(html_page(part, table), paste0(stem, ".html"), useBytes = TRUE)
}

html_page <- function(part, table) {
  shown <- utils::head(table[, setdiff(names(table), hidden_in_html), with = FALSE], most_html_rows)
  more <- if (nrow(table) > nrow(shown)) {
    sprintf("<p>The first %s of %s rows; all are in %s.csv.</p>", nrow(shown), nrow(table), escape_html(part$name))
  }
  c(
    "<!DOCTYPE html>", "<html lang=\"en\"><head><meta charset=\"utf-8\">",
    sprintf("<title>%s</title>", escape_html(part$title)), html_style, "</head><body>",
    if (any(table$emulated %in% TRUE)) emulated_note,
    sprintf("<h1>%s</h1>", escape_html(part$title)), sprintf("<p>%s</p>", escape_html(part$caption)), more,
    html_table(shown), html_sorting, "</body></html>"
  )
}

emulated_note <- "<p class=\"emulated\">EMULATED STORAGE: rows with emulated = TRUE test the method, not a product.</p>"

# Lists of runs and what a row shows anyway.
hidden_in_html <- c("values", "one_cell", "cells", "unit")

escape_html <- function(text) {
  text <- gsub("&", "&amp;", text, fixed = TRUE)
  text <- gsub("<", "&lt;", text, fixed = TRUE)
  gsub(">", "&gt;", text, fixed = TRUE)
}

html_table <- function(table) {
  header <- sprintf("<th>%s</th>", escape_html(in_words(gsub("_", " ", names(table)), html_heads)))
  cells <- lapply(table, html_cells)
  c(
    "<table><thead><tr>", header, "</tr></thead><tbody>",
    paste0("<tr>", do.call(paste0, unname(cells)), "</tr>"), "</tbody></table>"
  )
}

# The number as it is goes with the number as it is read, so that sorting does not depend on commas.
html_cells <- function(values) {
  if (!is.numeric(values)) {
    text <- ifelse(is.na(values), "", as.character(values))
    class <- if (any(nchar(text) > 40 & grepl(" ", text, fixed = TRUE))) " class=\"sentence\"" else ""
    return(sprintf("<td%s>%s</td>", class, escape_html(text)))
  }
  whole <- all(is.na(values) | values == round(values))
  shown <- if (whole) format(values, big.mark = ",", scientific = FALSE, trim = TRUE) else rate_words(values)
  sprintf("<td class=\"number\" data-value=\"%s\">%s</td>", format_plain(values), ifelse(is.na(values), "", shown))
}

html_heads <- c(
  lo = "interval from", hi = "interval to", api = "interface", nn = "nodes", ppn = "processes per node",
  "xfer bytes" = "transfer in bytes", "n degraded" = "degraded", "n invalid" = "invalid",
  "median io" = "median, I/O only"
)

html_style <- "<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5rem; color: #202020; }
.emulated { color: #b00020; font-weight: bold; } h1 { font-size: 1.2rem; } p { max-width: 60rem; }
table { border-collapse: collapse; } tbody tr:nth-child(even) { background: #f4f6f8; }
th, td { padding: 0.2rem 0.7rem; text-align: left; vertical-align: top; }
th { position: sticky; top: 0; background: #16325c; color: white; cursor: pointer; white-space: nowrap; }
td { max-width: 40rem; } td.sentence { min-width: 20rem; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
</style>"

html_sorting <- "<script>
document.querySelectorAll('th').forEach((head, column) => head.addEventListener('click', () => {
  const body = document.querySelector('tbody');
  const up = head.dataset.up !== 'true';
  head.dataset.up = up;
  const key = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
  const order = new Intl.Collator('en', {numeric: true});
  const compare = (a, b) => (isNaN(a) || isNaN(b) ? order.compare(a, b) : a - b);
  [...body.rows].sort((a, b) => (up ? 1 : -1) * compare(key(a), key(b))).forEach(row => body.append(row));
}));
</script>"
