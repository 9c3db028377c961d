# Puts parts on disk: pictures, the tables behind them, floats and captions.

write_figures <- function(parts, records, inputs, folder) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  for (part in parts) {
    write_figure(part, records, inputs, folder)
  }
}

write_figure <- function(part, records, inputs, folder) {
  stem <- file.path(folder, part$name)
  table <- part$make_table(records, inputs)
  data.table::fwrite(table, paste0(stem, ".csv"))
  drawable <- nrow(table) > 0 && any(table$n > 0)
  plot <- if (drawable) add_provenance(part$make_figure(table), table) else placard("No valid record to draw.")
  height_mm <- if (drawable) min(page_height_mm, part$height_mm(table)) else 25
  save_plot(plot, stem, page_width_mm, height_mm)
  writeLines(part$caption, paste0(stem, ".rst"))
  writeLines(c(
    "\\begin{figure}[tbp]", "\\centering", sprintf("\\includegraphics{%s}", part$name),
    sprintf("\\caption{%s}", escape_latex(part$caption)), sprintf("\\label{fig:%s}", part$name), "\\end{figure}"
  ), paste0(stem, ".tex"))
}

write_tables <- function(parts, records, inputs, folder) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  for (part in parts) {
    stem <- file.path(folder, part$name)
    table <- part$make_table(records, inputs)
    data.table::fwrite(table, paste0(stem, ".csv"))
    writeLines(part$caption, paste0(stem, ".rst"))
    writeLines(part$make_latex(table), paste0(stem, ".tex"))
  }
}
