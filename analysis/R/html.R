# A table as a page of its own for the HTML report: readable, sortable, nothing to fetch.

# A long table is cut at a size that a browser opens at once; all of it is in the CSV file beside it.
most_html_rows <- 2500L

write_html <- function(part, table, stem) {
  writeLines(html_page(part, table), paste0(stem, ".html"), useBytes = TRUE)
}

html_page <- function(part, table) {
  columns <- Filter(function(column) has_values(table[[column]]), setdiff(names(table), hidden_in_html))
  shown <- utils::head(table[, columns, with = FALSE], most_html_rows)
  more <- if (nrow(table) > nrow(shown)) {
    sprintf("<p>The first %s of %s rows; all are in %s.csv.</p>", nrow(shown), nrow(table), escape_html(part$name))
  }
  c(
    "<!DOCTYPE html>", "<html lang=\"en\"><head><meta charset=\"utf-8\">", policy_element(inline_script(html_sorting)),
    sprintf("<title>%s</title>", escape_html(part$title)), html_style, column_styles(shown), "</head><body>",
    if (any(table$emulated %in% TRUE)) emulated_note,
    sprintf("<h1>%s</h1>", escape_html(part$title)), sprintf("<p>%s</p>", escape_html(part$caption)), more,
    html_table(shown), html_sorting, "</body></html>"
  )
}

emulated_note <- "<p class=\"emulated\">EMULATED STORAGE: rows with emulated = TRUE test the method, not a product.</p>"

has_values <- function(values) any(!is.na(values) & values != "")

# Lists of runs and what a row shows anyway.
hidden_in_html <- c("values", "one_cell", "cells", "unit")

escape_html <- function(text) {
  text <- gsub("&", "&amp;", text, fixed = TRUE)
  text <- gsub("<", "&lt;", text, fixed = TRUE)
  gsub(">", "&gt;", text, fixed = TRUE)
}

# HTML needs no end tags of cells and rows, which are a third of a long table.
html_table <- function(table) {
  header <- sprintf("<th>%s", escape_html(in_words(gsub("_", " ", names(table)), html_heads)))
  cells <- lapply(table, html_cells)
  c("<table><thead><tr>", header, "<tbody>", paste0("<tr>", do.call(paste0, unname(cells))), "</table>")
}

# Where the number as it is read is rounded the number as it is goes with it, for sorting.
html_cells <- function(values) {
  if (!is.numeric(values)) {
    return(paste0("<td>", escape_html(ifelse(is.na(values), "", as.character(values)))))
  }
  whole <- all(is.na(values) | values == round(values))
  plain <- format_plain(if (whole) values else signif(values, 6))
  shown <- if (whole) prettyNum(plain, big.mark = ",", preserve.width = "none") else rate_words(values)
  is_exact <- is.na(values) | shown == plain
  ifelse(is.na(values), "<td>", ifelse(is_exact, paste0("<td>", shown), sprintf("<td data-v=%s>%s", plain, shown)))
}

# Whole columns have one style: numbers to the right, room for sentences.
column_styles <- function(table) {
  is_number <- vapply(table, is.numeric, TRUE)
  is_sentence <- vapply(table, function(values) {
    text <- as.character(values)
    !is.numeric(values) && any(nchar(text) > 40 & grepl(" ", text, fixed = TRUE), na.rm = TRUE)
  }, TRUE)
  of <- function(columns, style) {
    if (any(columns)) sprintf("%s { %s }", paste0("td:nth-child(", which(columns), ")", collapse = ", "), style)
  }
  c("<style>", of(is_number, "text-align: right; font-variant-numeric: tabular-nums;"),
    of(is_sentence, "min-width: 20rem;"), "</style>")
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
td { max-width: 40rem; }
</style>"

html_sorting <- "<script>
document.querySelectorAll('th').forEach((head, column) => head.addEventListener('click', () => {
  const body = document.querySelector('tbody');
  const up = head.dataset.up !== 'true';
  head.dataset.up = up;
  const key = row => row.cells[column].dataset.v ?? row.cells[column].textContent;
  const order = new Intl.Collator('en', {numeric: true});
  const compare = (a, b) => (isNaN(a) || isNaN(b) ? order.compare(a, b) : a - b);
  [...body.rows].sort((a, b) => (up ? 1 : -1) * compare(key(a), key(b))).forEach(row => body.append(row));
}));
</script>"
