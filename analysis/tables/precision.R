title <- "Medians that are not as narrow as requested"
position <- 87
section <- "reservations"
needs <- "a suite with repetitions: until"
if_empty <- "No suite of this study requests a width of its intervals."
caption <- paste(
  "Rounds were added until the half-width of the interval of a median was the requested part of it. Listed are the",
  "medians that are wider: their budget was spent, they had the most rounds, or the campaign drifted, which is known",
  "only at its end."
)
most_printed <- 30

make_table <- function(records, inputs) {
  points <- precision_points(records, known_facts(inputs))
  if (nrow(points) == 0) points else points[order(outcome == "reached", emulated, -width)]
}

make_latex <- function(table) {
  shown <- utils::head(table[outcome != "reached"], most_printed)
  if (nrow(shown) == 0) {
    return(paste("%", precision_sentence(table)))
  }
  cells <- shown[, .(
    with = latex_name(describe_points(.SD)), "$n$" = n,
    # What is wider does not read as what was requested.
    "half-width" = ifelse(percent_cell(width) == percent_cell(half_width), percent_cell(width, 3), percent_cell(width)),
    requested = percent_cell(half_width), why = latex_name(outcome)
  )]
  latex_table(name, paste(caption, precision_sentence(table)), cells, c(with = wrapped_column(60), why = "l"),
    groups = access_groups(shown))
}

percent_cell <- function(parts, decimals = 1L) {
  ifelse(is.finite(parts), sprintf("%.*f\\,\\%%", decimals, 100 * parts), "--")
}
