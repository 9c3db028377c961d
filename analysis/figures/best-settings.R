title <- "Share of the best bandwidth by stripe count and processes per node"
position <- 2
statistic <- "Harmonic mean of the share of the best, in per cent"
interval_text <- ""
needs <- "records of the experiment `defaults` of the suite mistral"
if_empty <- "The study has no sweep of stripes and processes."
caption <- paste(
  "Share of the best bandwidth that each combination of stripe count and processes per node reaches, harmonic mean",
  "over the numbers of nodes: dark is best. The outlined combination has the highest harmonic mean over writes and",
  "reads: it is the default."
)

make_table <- function(records, inputs) {
  measured <- shares_of_best(records)
  printed <- printed_defaults(records, inputs)
  if (nrow(printed) > 0) {
    printed <- printed[, .(
      target = "Mistral 2015, as printed", access, api = NA_character_, stripe_count = stripes, ppn,
      arithmetic = arithmetic / 100, harmonic = harmonic / 100, n = 1L, n_degraded = 0L, n_invalid = 0L,
      emulated = FALSE, verdict = "UNPROVEN", whole
    )]
  }
  table <- rbind(measured, printed, fill = TRUE)
  only_if(nrow(table) > 0)
  table[, `:=`(level = NA_real_, storage = ifelse(is.na(api), target, paste(target, api_words(api), sep = ", ")))]
  data.table::set(table, j = "published", value = grepl("as printed", table$target))
  table[, page := ifelse(table$published, "printed", "measured")]
  place <- table[order(emulated), .(storage = unique(storage)), by = page]
  place[, sheet := (seq_len(.N) - 1L) %/% 6L + 1L, by = page]
  table[place, sheet := i.sheet, on = c("page", "storage")][]
}

verdict_text <- setting_tiles_words

make_figure <- function(table) {
  drawn <- mark_emulated(data.table::copy(table))[, share := harmonic]
  drawn[emulated == TRUE, storage := paste0(storage, emulated_mark)]
  drawn[, storage := factor(storage, levels = unique(storage[order(emulated)]))]
  drawn[, access := factor(access, levels = access_levels)]
  # The name of a single storage stands above.
  several <- data.table::uniqueN(drawn$storage) > 1
  tiles <- setting_tiles(drawn)
  tiles +
    ggplot2::geom_tile(data = chosen_tiles(tiles$data), fill = NA, colour = "#d55e00", linewidth = 0.9) +
    ggplot2::facet_grid(
      rows = if (several) ggplot2::vars(storage), cols = ggplot2::vars(access), scales = "free_y", space = "free_y"
    ) +
    upright_row_titles()
}

# The default of each storage for writes and reads together, as the answer of the report names it.
chosen_tiles <- function(tiles) {
  setting <- c("storage", default_settings)
  tiles[of_both_accesses(tiles, setting)[, .SD[1], by = storage], on = setting]
}

height_mm <- function(table) {
  34 + sum(table[, .(rows = data.table::uniqueN(stripe_count)), by = storage]$rows) * 6 +
    2 * data.table::uniqueN(table$storage)
}
