# What stands on the page below the first screen: figures, claims and exclusions.

# Figures that the study has, as SVG; one of many megabytes stays a file.
most_svg_bytes <- 250000L

page_figures <- function(folder, parts, records) {
  drawn <- Filter(function(part) file.exists(svg_of(part, folder)), parts)
  drawn <- Filter(function(part) file.size(svg_of(part, folder)) <= most_svg_bytes, drawn)
  lapply(drawn, function(part) {
    svg <- paste(readLines(svg_of(part, folder), warn = FALSE, encoding = "UTF-8"), collapse = "\n")
    drawn_of <- data.table::fread(sub("svg$", "csv", svg_of(part, folder)))
    caption <- paste(c(part$caption, measured_by(records_shown(records, drawn_of))), collapse = " ")
    list(name = part$name, title = part$title, svg = sub("^<[?]xml[^>]*>\\s*", "", svg), caption = caption)
  })
}

# Figures that do not apply have no SVG; their .rst ends with the reason.
absent_figures <- function(folder, parts) {
  absent <- Filter(function(part) {
    !file.exists(svg_of(part, folder)) && file.exists(sub("svg$", "rst", svg_of(part, folder)))
  }, parts)
  lapply(absent, function(part) {
    lines <- readLines(sub("svg$", "rst", svg_of(part, folder)), warn = FALSE)
    list(title = part$title, reason = utils::tail(lines[nzchar(lines)], 1))
  })
}

svg_of <- function(part, folder) file.path(folder, "figures", paste0(part$name, ".svg"))

# Claims stand on the page of a study whose suite asks for them.
page_claims <- function(inputs, facts) {
  wanted <- wanted_claims(facts)
  if (is.null(inputs$claims) || length(wanted) == 0 || !file.exists(inputs$claims)) {
    return(list())
  }
  claims <- decided_claims(NULL, inputs)[paper %in% wanted]
  claims[, interval := claim_interval(claims)]
  effects <- signif(claims$effect, 3)
  claims[, effect := ifelse(is.na(effects), "", format_plain(effects))]
  each_row(claims[, .(paper, claim, says, evidence, verdict, effect, interval, bound)], as.list)
}

page_excluded <- function(inputs) {
  if (is.null(inputs$excluded) || !file.exists(inputs$excluded)) {
    return(list())
  }
  each_row(data.table::fread(inputs$excluded, colClasses = "character"), as.list)
}
