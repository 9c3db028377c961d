title <- "Shares of open, transfer, synchronisation and close"
place <- 30
statistic <- "Bars: mean share"
caption <- paste(
  "What the time of an access goes to: opening, transferring, synchronising to storage, closing. Small files make",
  "opening and closing dear, which a bandwidth over the transfer alone hides. Where synchronisation is not told apart,",
  "it is part of the transfer."
)

mapped <- c("access", "api", "layout", "order", "target", "nn", "ppn", "xfer_bytes")
rows <- c("target", "nn", "ppn", "order", "variant")
phases <- c("open", "transfer", "sync", "close")

make_table <- function(records, inputs) {
  records <- add_variant(transfers_of(records)[!is.na(xfer_bytes)], mapped)
  shares <- data.table::rbindlist(lapply(phases, function(phase) {
    data.table::copy(records)[, `:=`(phase = phase, share = share_of(records, phase))]
  }))
  shares[, phase := factor(phase, phases)]
  table <- summarise_records(shares, 100 * shares$share, c(mapped, "variant", "phase"), "%")
  keep_extremes(table, rows, 8)
}

# Of the sum of the phases, so that the shares of a record are one even where clocks disagree.
share_of <- function(records, phase) {
  seconds <- switch(phase,
    open = records$open_s,
    transfer = records$io_s - synchronising_s(records),
    sync = synchronising_s(records),
    close = records$close_s
  )
  whole <- records$open_s + records$io_s + records$close_s
  ifelse(whole > 0, seconds / whole, NA_real_)
}

# Part of io_s; never more than that, and none where it is not known.
synchronising_s <- function(records) {
  pmin(ifelse(is.na(records$sync_s), 0, records$sync_s), records$io_s)
}

make_figure <- function(table) {
  table <- data.table::copy(table)[n > 0]
  table[, access := factor(access, access_levels)]
  table[, order := factor(order, order_levels)]
  data.table::setorderv(table, rows)
  table[, row := in_order(describe_columns(.SD, varying_columns(.SD, rows), "\n"))]
  data.table::setorder(table, access, api, layout)
  table[, column := in_order(describe_columns(.SD, c("access", varying_columns(.SD, c("api", "layout"))), "\n"))]
  data.table::setorder(table, xfer_bytes)
  table[, size := in_order(bytes_words(xfer_bytes))]
  ggplot2::ggplot(table, ggplot2::aes(mean, size, fill = phase)) +
    ggplot2::geom_col(
      width = 0.75, position = ggplot2::position_stack(reverse = TRUE), colour = "#404040", linewidth = 0.15
    ) +
    ggplot2::facet_grid(row ~ column) +
    ggplot2::scale_fill_manual("Phase", values = phase_colours, breaks = phases) +
    ggplot2::scale_x_continuous("Share of the time in %", breaks = c(0, 50, 100), expand = c(0, 0)) +
    ggplot2::labs(y = "Size of one transfer") +
    theme_weir() +
    ggplot2::theme(panel.spacing.x = grid::unit(3, "mm"))
}

height_mm <- function(table) {
  40 + panel_count(table, rows) * max(14, 3.6 * data.table::uniqueN(table$xfer_bytes))
}
