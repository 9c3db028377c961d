title <- "Overhead of opening, closing and synchronising"
position <- 30
section <- "appendix"
page_limit <- 3L
statistic <- "Points: median share of the time from open to close"
interval_mark <- "Bars"
needs <- "writes or reads with times of open, transfer and close"
caption <- paste(
  "Share of the time of an access that opening and closing take, and synchronisation where it is timed, of the most",
  "nodes and processes per node. The two definitions of bandwidth, over the whole time and over the transfers, differ",
  "by opening and closing: far to the right a number without its definition means little."
)

mapped <- c("tool", "access", "api", "layout", "order", "target", "nn", "ppn", "xfer_bytes", "phase")

make_table <- function(records, inputs) {
  records <- timed_whole(records)[!is.na(xfer_bytes)]
  only_if(nrow(records) > 0)
  records <- add_variant(without_features(largest_of(records)), setdiff(mapped, "phase"))
  records[, whole_s := open_s + io_s + close_s]
  shares <- list(
    "open and close" = function(it) share_of(it$open_s + it$close_s, it$whole_s),
    "synchronisation" = function(it) share_of(it$sync_s, it$whole_s)
  )
  long <- data.table::rbindlist(lapply(names(shares), function(name) {
    data.table::copy(records)[, `:=`(phase = name, share = 100 * shares[[name]](records))]
  }))
  # A read has nothing to synchronise.
  long <- long[phase == "open and close" | (!is.na(share) & !(access == "read" & share == 0))]
  points <- summarise_records(long, pmax(long$share, 0.01), c(mapped, "variant"), "%")
  points <- at_most_lines(points[n > 0])
  place_panels(points, c(
    variant = "page", tool = "page", if (apis_differ(points)) c(api = "page"),
    target = "row", nn = "row", ppn = "row", order = "column", access = "column"
  ), most_rows = max(1, floor(most_lines / max(1, points[, .(lines = count_lines(.SD)), by = target]$lines))),
  flow = TRUE)
}

# The synchronisation is of records that opening and closing are of.
verdict_text <- function(table) verdict_words(table, records = table[phase == "open and close"])

# Storage with other interfaces than the rest would have empty lines, and the rest on its lines.
apis_differ <- function(points) {
  apis <- points[, .(apis = paste(sort(unique(api)), collapse = " ")), by = .(variant, tool, target)]
  any(apis[, .(kinds = data.table::uniqueN(apis)), by = .(variant, tool)]$kinds > 1)
}

# A page has room for so many lines, each a combination of interface, layout and size.
most_lines <- 40L

count_lines <- function(points) nrow(unique(points[, .(api, layout, xfer_bytes)]))

# Where there are more, the smallest and the largest transfers are kept: there the shares differ most.
at_most_lines <- function(points) {
  if (nrow(points) == 0 || max(points[, .(lines = count_lines(.SD)), by = target]$lines) <= most_lines) {
    return(points)
  }
  ends <- points[, .I[xfer_bytes %in% range(xfer_bytes)], by = .(target, api, layout)]$V1
  add_note(points[ends], "Of each interface the smallest and the largest transfers are drawn.")
}

largest_of <- function(records) {
  kept <- records[, .I[nn %in% max(nn) & ppn %in% max(ppn[nn %in% max(nn)])], by = .(tool, target)]
  records[sort(kept$V1)]
}

share_of <- function(part_s, whole_s) ifelse(whole_s > 0, pmin(1, part_s / whole_s), NA_real_)

make_figure <- function(table) {
  shown <- data.table::copy(table)[order(api, layout, -xfer_bytes)]
  told <- c("api", if (data.table::uniqueN(shown$layout) > 1) "layout", "xfer_bytes")
  shown[, line := describe_columns(shown, told)][, line := factor(line, unique(line))]
  ggplot2::ggplot(shown, ggplot2::aes(median, line, colour = phase, shape = phase, group = phase)) +
    # Shares alike stand beside each other, not on each other.
    point_marks("phase", 1.3, along = "x", position = ggplot2::position_dodge(0.6)) +
    facet_panels(table, upright = TRUE, scales = "free_y", space = "free_y") +
    scale_looks(looks_of("phase", shown$phase)) +
    ggplot2::scale_x_continuous("Share of the time in %", limits = c(0, 100), breaks = c(0, 25, 50, 75, 100),
      labels = share_labels(panel_width_mm(table))) +
    theme_of_rows()
}

# The ends of neighbouring panels would read as one number: 1000.
share_labels <- function(panel_mm) if (panel_mm < 45) c("0", "", "50", "", "") else c("0", "25", "50", "75", "")

height_mm <- function(table) {
  rows <- table[, .(lines = count_lines(.SD)), by = row]
  36 + sum(pmax(9, 3.4 * rows$lines + 1.5) + panel_gap_mm)
}
