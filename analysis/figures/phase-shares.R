title <- "Shares of open, transfer, synchronisation and close"
place <- 30
statistic <- "Border of the transfer (with its synchronisation): median share"
interval_mark <- "Black lines"
needs <- "writes or reads with times of open, transfer and close"
caption <- paste(
  "What the time of an access goes to. The border between transfer and what opens and closes files is the ratio of the",
  "two definitions of performance, bytes over open, transfer and close and bytes over the transfer alone: where it is",
  "far from 100 %, a number without its definition says little. Synchronisation is part of the transfer and shown",
  "inside it where the tool tells it apart; it takes of the transfer, and opening takes of the rest, what it takes on",
  "average."
)

mapped <- c("tool", "access", "api", "layout", "order", "target", "nn", "ppn", "xfer_bytes", "calls", "chunks")
phases <- c("transfer", "sync", "open", "close")

make_table <- function(records, inputs) {
  timed <- timed_whole(records)[!is.na(xfer_bytes)]
  records <- largest_of(name_chunks(without_features(timed)))
  if (nrow(records) == 0) {
    return(records)
  }
  records[, `:=`(calls = told_apart("collective", collective), chunks = told_apart("chunking", chunking)), by = tool]
  records <- add_variant(records, c(mapped, "collective", "chunking", features))
  records[, whole_s := open_s + io_s + close_s]
  points <- summarise_records(records, 100 * share(records$io_s, records$whole_s), c(mapped, "variant"), "%")
  means <- records[verdict != "INVALID", .(
    sync_of_io = mean(pmin(1, share(sync_s, io_s)), na.rm = TRUE), open_of_rest = mean_share(open_s, open_s + close_s)
  ), by = c(mapped, "variant")]
  table <- means[points, on = c(mapped, "variant")][, !c("mean", "best")]
  table[is.na(sync_of_io), sync_of_io := 0]
  table[, `:=`(
    transfer = median * (1 - sync_of_io), sync = median * sync_of_io,
    open = (100 - median) * open_of_rest, close = (100 - median) * (1 - open_of_rest)
  )]
  table <- place_panels(table, c(
    tool = "page", variant = "page", target = "row", api = "row", layout = "row", chunks = "row", nn = "row",
    ppn = "row", order = "column", calls = "column", access = "column"
  ), most_rows = 10, flow = TRUE)
  said <- c(said_of_largest(timed), said_of_features(timed))
  if (is.null(said)) table else add_note(table, paste(said, collapse = " "))
}

# In words where it differs among the records of a program.
told_apart <- function(column, values) {
  if (data.table::uniqueN(values, na.rm = TRUE) < 2) "" else column_words(column, values)
}

# The shares of opening and closing are requested of the most processes on the most nodes; the others are not drawn.
largest_of <- function(records) {
  if (nrow(records) == 0) {
    return(records)
  }
  kept <- records[, .I[nn %in% max(nn) & ppn %in% max(ppn[nn %in% max(nn)])], by = .(tool, target)]
  records[sort(kept$V1)]
}

said_of_largest <- function(records) {
  if (nrow(records) > nrow(largest_of(records))) "Drawn: the most nodes and processes per node of each storage."
}

share <- function(part_s, whole_s) ifelse(whole_s > 0, part_s / whole_s, NA_real_)

mean_share <- function(part_s, whole_s) share(sum(part_s, na.rm = TRUE), sum(whole_s, na.rm = TRUE))

make_figure <- function(table) {
  drawn <- table[n > 0]
  drawn <- data.table::melt(drawn, measure.vars = phases, variable.name = "phase", value.name = "share")
  drawn[, size := factor(bytes_words(xfer_bytes), bytes_words(sort(unique(xfer_bytes))))]
  ggplot2::ggplot(drawn, ggplot2::aes(share, size)) +
    ggplot2::geom_col(
      ggplot2::aes(fill = fill_by(phase, verdict), colour = phase, group = phase),
      width = 0.75, position = ggplot2::position_stack(reverse = TRUE), linewidth = 0.3
    ) +
    interval_line(colour = "white", linewidth = 1) +
    interval_line(colour = "black", linewidth = 0.45) +
    facet_panels(table, upright = TRUE, scales = "free_y", space = "free_y") +
    scale_phases() +
    ggplot2::scale_x_continuous("Share of the time in %", breaks = c(0, 50, 100), expand = c(0, 4, 0, 10)) +
    ggplot2::labs(y = "Size of one transfer") +
    theme_weir() +
    upright_row_titles()
}

interval_line <- function(...) {
  ggplot2::geom_linerange(
    ggplot2::aes(xmin = lo, xmax = hi),
    data = function(bars) bars[phase == "transfer"], na.rm = TRUE, ...
  )
}

height_mm <- function(table) {
  bars <- table[, .(bars = data.table::uniqueN(xfer_bytes)), by = row]
  40 + sum(pmax(9, 2.6 * bars$bars + 1.5) + panel_gap_mm)
}
