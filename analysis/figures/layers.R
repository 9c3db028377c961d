title <- "Cost of each layer, per operation and per byte"
position <- 1
statistic <- "Points: mean over the rounds of a straight line through the time of an operation against its size"
interval_text <- "Bars: 95 % t interval over the rounds."
needs <- "records of the suite layers: several sizes by several interfaces"
if_empty <- "The study does not compare layers."
caption <- paste(
  "The time of one operation of one process is a fixed part (left, in microseconds; below zero where small",
  "operations cost less than the line through the large ones) and a part for each MiB (right), from a line through",
  "the sizes of each round. The grey line is the interface without the layer: POSIX, or the native one. For the",
  "mount of a burst buffer, its native interface is shown beside the interfaces through FUSE."
)

make_table <- function(records, inputs) {
  costs <- layer_costs(records)
  only_if(nrow(costs) > 0)
  costs <- native_beside_mount(costs[nn == min(nn) & ppn == max(ppn)], known_facts(inputs))
  costs[, `:=`(median = mean, level = interval_level, n_invalid = 0L, n_degraded = 0L, sheet = 1L)]
  # The page of two targets names both.
  costs[, variant := if (any(beside)) and_list(unique(mark_name(target, emulated))) else "", by = page][]
}

# The native interface of a burst buffer has no layers of its own: it is drawn on the page of its mount.
native_beside_mount <- function(costs, facts) {
  costs <- data.table::copy(costs)[, `:=`(page = mark_name(target, emulated), beside = FALSE)]
  mount <- intersect(costs$target, targets_of_kind(facts, "burst-buffer-fuse"))
  native <- intersect(costs$target, targets_of_kind(facts, "burst-buffer"))
  if (length(mount) != 1 || length(native) != 1) {
    return(costs)
  }
  costs <- costs[target != native | api == "IME"][order(target == native)]
  costs[target == native, `:=`(page = costs[target == mount]$page[1], beside = TRUE)]
}

make_figure <- function(table) {
  drawn <- data.table::copy(table)
  drawn[, panel := factor(cost, levels = c("operation_us", "mib_us"),
    labels = c("of an operation, in \u00b5s", "of a MiB, in \u00b5s"))]
  drawn[, access := factor(access, levels = access_levels)]
  apis <- intersect(c("POSIX", "IME", looks_of("api")$name), drawn$api)
  drawn[, name := factor(api_words(api), levels = rev(api_words(apis)))]
  ggplot2::ggplot(drawn, ggplot2::aes(mean, name, colour = api, shape = api)) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = mean), data = drawn[api == base & !beside], colour = "#a0a0a0",
      linewidth = 0.3) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = lo, xmax = hi), linewidth = 0.5, na.rm = TRUE, show.legend = FALSE) +
    ggplot2::geom_point(ggplot2::aes(fill = api), size = 1.6, stroke = 0.4, show.legend = FALSE) +
    unproven_marks() +
    ggplot2::facet_grid(rows = ggplot2::vars(access), cols = ggplot2::vars(panel), scales = "free_x") +
    scale_api(drawn$api) +
    ggplot2::guides(colour = "none", shape = "none") +
    ggplot2::labs(x = "Time", y = NULL) +
    theme_weir()
}

height_mm <- function(table) 34 + 12 * data.table::uniqueN(table$api)
