title <- "Best and mean"
position <- 6
section <- "appendix"
needs <- "writes or reads on known nodes and processes"
caption <- paste(
  "Best and mean record in MiB/s at the ends of the nodes and processes per node (N\u00d7P) and with the largest",
  "transfers, of the fastest interface and layout; all are in tables/best-mean.csv."
)
# What is explained where it is printed.
shorts_of <- function(shown) {
  words <- c(
    if (any(shown$layout %in% "file-per-process")) "p.p.: a file per process",
    if (any(shown$purpose %in% "format")) {
      "NetCDF c., i.: the best block size of NetCDF-Bench, by collective or independent calls"
    }
  )
  if (length(words) > 0) paste0(paste(words, collapse = "; "), ".")
}
of_publication <- function(shown, others) {
  paste0(
    "Pub.: best and mean that the publication printed for the same access, order, transfer and N\u00d7P, over ",
    "whichever interface and layout",
    if (others) "; storage that it did not measure is in tables/best-mean.csv alone",
    if (any(shown$emulated)) "; beside emulated storage they show what is missing and are to be compared with nothing",
    "."
  )
}

make_table <- function(records, inputs) {
  records <- add_roles(transfers_of(records)[!is.na(nn) & !is.na(ppn)], known_facts(inputs))
  measured <- if (nrow(records) > 0) rbind(ior_points(records), netcdf_points(records), fill = TRUE)
  only_if(NROW(measured) > 0)
  keys <- c("purpose", "access", "order", "nn", "ppn", "xfer_bytes", "collective")
  repeats <- "ime-paper" %in% publications_of(known_facts(inputs))
  printed <- printed_points(if (repeats) inputs$published)
  table <- if (nrow(printed) == 0) {
    measured[, `:=`(published_best = NA_real_, published_mean = NA_real_)]
  } else {
    beside(measured, printed, keys)
  }
  if (!is.null(table$calls)) table[is.na(collective), collective := calls]
  table[at_ends == TRUE | !is.na(published_best)][order(
    emulated, match(role, roles_in_order), target, match(access, access_levels), variant, purpose != "bandwidth", nn,
    ppn, order, api, layout
  )][, .(
    target, access, tool, purpose, api, layout, order, xfer_bytes, nn, ppn, collective, variant, n, best, mean,
    median, lo, hi, published_best, published_mean, verdict, emulated
  )]
}

roles_in_order <- c("native", "fuse", "file system", "other file system", "memory", "pool", "any")

ior_points <- function(records) {
  points <- points_of_purpose(records, "bandwidth")
  if (nrow(points) > 0) {
    points[, `:=`(calls = collective, collective = NA)]
    points[, at_ends := nn %in% range(nn) & ppn %in% range(ppn) & xfer_bytes %in% max(xfer_bytes), by = target]
  }
  points
}

# The paper names only the best values of NetCDF-Bench, by collective or independent access.
netcdf_points <- function(records) {
  points <- points_of_purpose(records, "format")
  if (nrow(points) == 0) {
    return(NULL)
  }
  apart <- c("role", "tool", "purpose", "target", "access", "nn", "ppn", "collective")
  points <- points[nn == max(nn) & ppn == max(ppn)][order(verdict == "DEGRADED", -best)][, .SD[1], by = apart]
  points[, at_ends := TRUE][]
}

points_of_purpose <- function(records, of) {
  variant_points(records[purpose == of], c("role", "tool", "purpose", "collective", point_columns))[n > 0]
}

# A row for each configuration that was published, best and mean in columns.
printed_points <- function(path) {
  if (is.null(path)) {
    return(data.table::data.table())
  }
  values <- read_published(path)[metric == "bandwidth" & source == "ime-paper"]
  values[, `:=`(
    role = in_words(target, c("ime-native" = "native", lustre = "file system")),
    collective = ifelse(purpose == "format", access_mode == "collective", NA)
  )]
  wide <- data.table::dcast(values, role + purpose + access + order + nn + ppn + xfer_bytes + collective ~ statistic,
    value.var = "value_mib_s"
  )
  data.table::setnames(wide, c("best", "mean"), c("published_best", "published_mean"))
}

# Values of NetCDF-Bench were published of no single storage, with no block size: they stand beside each storage, and
# beside its best. What was published and not measured keeps a row of its own, in a study that measured some of it.
beside <- function(measured, printed, keys) {
  sized <- printed[purpose == "bandwidth"]
  of_ior <- merge(measured[purpose == "bandwidth"], sized, by = c("role", keys), all.x = TRUE)
  lost <- sized[role %in% measured$role][!of_ior, on = c("role", keys)]
  lost <- lost[, .(purpose, role, access, order, nn, ppn, xfer_bytes, collective, published_best, published_mean)]
  lost[, n := 0L]
  lost[, target := measured$target[match(role, measured$role)]]
  lost[, variant := measured$variant[match(role, measured$role)]]
  lost[, emulated := measured$emulated[match(target, measured$target)]]
  of_netcdf <- merge(
    measured[purpose == "format"],
    printed[purpose == "format", .(access, nn, ppn, collective, published_best, published_mean)],
    by = c("access", "nn", "ppn", "collective"), all.x = TRUE
  )
  if (all(is.na(of_ior$published_best))) lost <- NULL
  rbind(of_ior, of_netcdf, lost, fill = TRUE)[, at_ends := at_ends %in% TRUE][]
}

make_latex <- function(table) {
  fastest <- fastest_ways(table)
  shown <- beside_publication(fastest)
  cells <- shown[, .(
    interface = way_cell(purpose, api, layout, collective), order = in_words(dash(order), order_shorts),
    transfer = dash(bytes_words(xfer_bytes)), "$N\\times P$" = shape_cell(nn, ppn), "$n$" = ifelse(n > 0, n, "--"),
    best = paste0(rate_words(best), verdict_mark(verdict)), mean = rate_words(mean), median = rate_words(median),
    interval = interval_cell(lo, hi)
  )]
  # Who repeats no publication has no column of one.
  repeats <- any(!is.na(table$published_best))
  if (repeats) {
    cells[, `:=`("pub.\\ best" = rate_words(shown$published_best), "pub.\\ mean" = rate_words(shown$published_mean))]
  }
  told <- c(caption, shorts_of(shown), if (repeats) of_publication(shown, others = nrow(shown) < nrow(fastest)))
  # Room for bandwidths of five digits.
  columns <- setNames(rep("@{\\hspace{9pt}}r", length(cells)), names(cells))
  columns[c("interface", "order")] <- c(wrapped_column(15.5), "@{\\hspace{9pt}}l")
  latex_table(name, paste(told, collapse = " "), cells, columns, groups = access_groups(shown))
}

# The interface and layout with the highest best, of degraded ones where there are no others; what only NetCDF-Bench's
# features tell apart, too.
fastest_ways <- function(table) {
  shown <- data.table::copy(table)[purpose == "format", `:=`(variant = "", way = collective)][, at := .I]
  if (is.null(shown$way)) shown[, way := NA]
  apart <- c("target", "access", "variant", "purpose", "way", "order", "nn", "ppn", "published_best")
  alike <- shown[order(verdict %in% "DEGRADED", -best, published_best), .SD[1], by = apart]
  head <- alike[, .(first = min(at)), by = .(target, access, variant)]
  head[alike, on = c("target", "access", "variant")][order(first, at)]
}

# The publication's table is of some storage: no other is printed beside it, which would part what is to be compared.
beside_publication <- function(shown) {
  targets <- unique(shown[purpose == "bandwidth" & !is.na(published_best)]$target)
  if (length(targets) > 0) shown[target %in% targets] else shown
}

order_shorts <- c(sequential = "seq.", random = "rnd.")

way_cell <- function(purpose, api, layout, collective) {
  words <- ifelse(
    purpose == "format", paste("NetCDF", ifelse(collective, "c.", "i.")),
    paste0(
      ifelse(is.na(api), "published", sub(" native", "", api_words(api))),
      ifelse(layout %in% "file-per-process", ", p.p.", "")
    )
  )
  latex_name(words)
}
