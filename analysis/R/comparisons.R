# What a setting changes: cells that differ in one dimension, compared round by round.
#
# A round measures every cell once, in random order, so that what disturbed the round is in both sides of a pair and not
# in their ratio. A pair is equal in every dimension but the compared one and those that follow from it; where the
# latter differ the row names it.

# Every dimension that varies, of every target and access, as ratios with intervals; `clear` holds the false-discovery
# rate over the whole table at 5 % within the campaign, `pairs_agree` also where cells are slow for all of it.
effects_of_settings <- function(records, metric = load_metric("bandwidth")) {
  remembered(find_effects, records, metric, telling = metric$name)
}

find_effects <- function(records, metric) {
  records <- metric$of(records)[verdict %in% usable_verdicts]
  # Operations on a cache, or at one offset, say nothing about the bandwidth of the storage.
  if (is_bandwidth(metric)) records <- records[!single_operations_beside(records)]
  if (nrow(records) == 0) {
    return(data.table::data.table())
  }
  runs <- run_values(records, metric$value(records), c("target", "access", "item"))
  cells <- comparable_cells(records, runs)
  inflation <- inflation_of(study_autocorrelation())
  experiments <- lapply(split(cells, by = c("suite", "experiment")), with_settings)
  compared <- c(compared_dimensions(records), unique(unlist(lapply(experiments, function(one) one$own))))
  drift <- drift_of_campaign(records)
  varying <- varying_columns(cells, intersect(compared, names(cells)))
  ratios <- stats::setNames(lapply(varying, function(dimension) {
    ratios_of_dimension(experiments, runs, dimension, drift)
  }), varying)
  ratios <- Filter(Negate(is.null), ratios)
  alike <- autocorrelation_in_turns(ratios)
  rows <- data.table::rbindlist(Map(function(table, dimension) {
    effects_of_dimension(table, dimension, inflation, alike)
  }, ratios, names(ratios)))
  if (nrow(rows) == 0) {
    return(rows)
  }
  rows[, `:=`(q = stats::p.adjust(p, "BH"), better = metric$better, unit = "factor", metric = metric$name)]
  rows[, clear := !is.na(q) & q <= 0.05]
  agree <- stats::p.adjust(rows$p_pairs, "BH")
  rows[, `:=`(pairs_agree = clear & !is.na(agree) & agree <= 0.05, p_pairs = NULL)]
  rows[order(!clear, -abs(log(ratio)))][]
}

# One row for each cell and access, with the values of its dimensions.
comparable_cells <- function(records, runs) {
  records <- data.table::copy(name_chunks(records))[, beside := options_of_labels(label)]
  columns <- intersect(unique(c("target", "site", "access", "item", compared_dimensions(records), following, "emulated",
    "experiment", "suite", "beside")), names(records))
  known <- records[cell %in% runs$cell | is.na(cell), unique(c("cell", columns, "verdict")), with = FALSE]
  known[, unproven := any(verdict == "UNPROVEN"), by = .(cell, access, item)][, verdict := NULL]
  columns <- c(columns, "unproven")
  rows <- unique(known)
  keys <- c("cell", "access", "item")
  twice <- duplicated(rows, by = keys) | duplicated(rows, by = keys, fromLast = TRUE)
  merged <- rows[twice, lapply(.SD, first_known), by = keys, .SDcols = setdiff(columns, keys)]
  rbind(rows[!twice], merged, use.names = TRUE)
}

first_known <- function(values) {
  known <- values[!is.na(values)]
  if (length(known) == 0) values[1] else known[1]
}

# The cells of an experiment and what pairs of them must have in common. What follows from other settings elsewhere may
# be a setting of its own here, as the stripes are of a sweep of stripes: cells differ in it that are equal in the rest.
with_settings <- function(cells) {
  settings <- intersect(c("target", "site", "access", "item", "experiment", "suite", "beside",
    compared_dimensions(cells)), names(cells))
  own <- character()
  for (column in intersect(following, names(cells))) {
    known <- unique(cells[!is.na(cells[[column]]), c(settings, own, column), with = FALSE])
    if (anyDuplicated(known, by = c(settings, own)) > 0) own <- c(own, column)
  }
  list(cells = cells, settings = c(settings, own), own = own)
}

# The ratios of rounds in turns have no disturbance of whole rounds, but what lasts in one of their cells. A series is
# one access of a pair; names of rounds are numbers, which their order as texts is not.
autocorrelation_in_turns <- function(tables) {
  if (length(tables) == 0) {
    return(0)
  }
  of_series <- c("target", "access", "item", "pair", "round", "log_ratio")
  known <- lapply(tables, function(table) table[is.finite(log_ratio), of_series, with = FALSE])
  ratios <- data.table::rbindlist(known, idcol = "dimension")[order(suppressWarnings(as.numeric(round)), round)]
  serial_correlation(ratios$log_ratio, ratios[, series := .GRP, by = .(dimension, target, access, item, pair)]$series)
}

ratios_of_dimension <- function(experiments, runs, dimension, drift) {
  pairs <- data.table::rbindlist(lapply(experiments, pairs_of, dimension), fill = TRUE)
  if (nrow(pairs) == 0) {
    return(NULL)
  }
  sides <- c("target", "access", "item", "cell")
  of_runs <- runs[, c(sides, "round", "value", "began"), with = FALSE][, began := seconds_of(began)]
  ratios <- merge(pairs, of_runs, by.x = c("target", "access", "item", "cell.x"), by.y = sides, allow.cartesian = TRUE)
  ratios <- merge(ratios, of_runs, by.x = c("target", "access", "item", "cell.y", "round"), by.y = c(sides, "round"),
    suffixes = c("_first", "_other"))
  if (nrow(ratios) == 0) {
    return(NULL)
  }
  ratios[, log_ratio := log(value_other / value_first)]
  ratios[, pair := .GRP, by = .(cell.x, cell.y)]
  ratios[, drift := log(clear_drift(.SD, drift)), .SDcols = c("target", "access")][]
}

effects_of_dimension <- function(ratios, dimension, inflation, alike) {
  rows <- ratios[is.finite(log_ratio), effect_of_pairs(.SD, inflation, alike), by = .(target, access, from, to)]
  rows[, `:=`(setting = column_words(dimension, to), instead_of = column_words(dimension, from))]
  rows[, `:=`(dimension = ..dimension, from = as.character(from), to = as.character(to))][]
}

# Pairs of cells with the usual value and another one, or with the two ends of a number: the ends of the group itself.
pairs_of <- function(experiment, dimension) {
  cells <- experiment$cells
  if (!dimension %in% experiment$settings) {
    return(NULL)
  }
  same <- setdiff(experiment$settings, dimension)
  known <- cells[!is.na(cells[[dimension]])]
  if (nrow(known) == 0) {
    return(NULL)
  }
  known[, `:=`(level = get(dimension), rank = rank_of_level(get(dimension)))]
  ends <- known[, .(lowest = min(rank), highest = max(rank)), by = same][lowest < highest]
  grouped <- known[ends, on = same, nomatch = NULL]
  if (nrow(grouped) == 0) {
    return(NULL)
  }
  first <- unique(grouped[rank == lowest], by = same)
  others <- grouped[rank == highest | (!is.numeric(level) & rank > lowest)]
  others <- unique(others, by = c(same, "level"))
  kept <- setdiff(intersect(c("cell", "level", "emulated", "unproven", following), names(first)), same)
  pairs <- merge(first[, c(same, kept), with = FALSE], others[, c(same, kept), with = FALSE], by = same)
  data.table::setnames(pairs, c("level.x", "level.y"), c("from", "to"))
  pairs[, also := differing_words(pairs, dimension)][]
}

usual_levels <- c("sequential", "shared", "POSIX", "contiguous")

# Numbers by their size; of other values the usual ones come first.
rank_of_level <- function(levels) {
  if (is.numeric(levels)) levels else match(levels, c(usual_levels, sort(setdiff(levels, usual_levels))))
}

# What follows from the setting and differs too: "stripe counts".
differing_words <- function(pairs, dimension = character()) {
  present <- setdiff(following, dimension)
  present <- present[paste0(present, ".x") %in% names(pairs)]
  words <- lapply(present, function(column) {
    first <- pairs[[paste0(column, ".x")]]
    other <- pairs[[paste0(column, ".y")]]
    differs <- !is.na(first) & !is.na(other) & first != other
    ifelse(differs, column_names[[column]], "")
  })
  if (length(words) == 0) {
    return(rep("", nrow(pairs)))
  }
  joined_words(words)
}

column_names <- c(block_bytes = "block sizes", segments = "segments", stripe_count = "stripe counts",
  chunking = "chunks")

# The mean log ratio over the rounds; of settings that are compared over many pairs in one or two rounds, over the
# pairs.
effect_of_pairs <- function(ratios, inflation, alike) {
  pair <- ratios$pair
  of_pair <- means_of(ratios$log_ratio, pair)
  of_round <- mean(of_pair) + means_of(ratios$log_ratio - of_pair[match(pair, names(of_pair))], ratios$round)
  over <- if (length(of_round) >= 3) "rounds" else if (length(of_pair) >= fewest_for_interval) "pairs" else "rounds"
  values <- if (over == "rounds") of_round else of_pair
  alternately <- in_turns(ratios$began_first, ratios$began_other, pair)
  serial <- serial_factors(length(values), if (over == "rounds" && alternately) alike else 0)
  found <- mean_interval(values, if (alternately) serial$inflation else inflation, degrees = serial$degrees)
  # A drift between the two sides explains a difference as well as the setting does.
  drift <- if (alternately) 0 else ratios$drift[1]
  also <- table(ratios$also[!duplicated(pair) & nzchar(ratios$also)])
  list(
    ratio = exp(mean(of_pair)), lo = exp(found$lo - drift), hi = exp(found$hi + drift),
    p = chance_of_mean(max(0, abs(found$mean) - drift), found$error, found$df),
    p_pairs = if (alternately) chance_over_pairs(of_pair) else NA_real_,
    difference = stats::median(ratios$value_other - ratios$value_first),
    pairs = length(of_pair), rounds = length(of_round), over = over, lowest = exp(min(of_pair)),
    highest = exp(max(of_pair)),
    interleaved = alternately, also_differs = also_words(also, length(of_pair)),
    emulated = any(ratios$emulated.x | ratios$emulated.y),
    unproven = sum((ratios$unproven.x | ratios$unproven.y)[!duplicated(pair)])
  )
}

# A cell that is slow for its whole side makes an effect of its pair, in either direction: only pairs that agree tell
# an effect from it.
fewest_agreeing <- 3L
campaign_words <- paste(
  "A clear effect is one of this campaign: a cell that was slow for all of its rounds looks like an effect, too."
)
# Pairs of cells with one or two rounds tell an effect; a claim needs rounds.
pairs_words <- " over pairs of cells with fewer than three rounds, which decides no claim"
agreement_words <- "its pairs of cells agree, so that one slow cell cannot be the reason"

# The interval of effects, over their rounds or pairs.
effect_interval <- function(effects, in_words) {
  counts <- ifelse(effects$over %in% "pairs", counted(effects$pairs, "pair"), counted(effects$rounds, "round"))
  ends_words(effects$lo, effects$hi, in_words, !effects$clear, counts)
}

chance_over_pairs <- function(of_pair) {
  if (length(of_pair) < fewest_agreeing) {
    return(NA_real_)
  }
  found <- mean_interval(of_pair)
  chance_of_mean(found$mean, found$error, found$df)
}

# What stands beside clear effects in a text; of none where the pairs of all agree.
reservation_words <- function(clear) {
  if (all(clear$pairs_agree)) sprintf("For each, %s.", agreement_words) else campaign_words
}

# The mean of each group, named by it, in the order of their first values: tapply() takes ten times as long for many.
means_of <- function(values, group) {
  known <- unique(group)
  at <- match(group, known)
  setNames(as.vector(rowsum(values, at)) / tabulate(at), known)
}

also_words <- function(counts, pairs) {
  if (length(counts) == 0) {
    return("")
  }
  paste(ifelse(counts == pairs, names(counts), sprintf("%s in %d of %d pairs", names(counts), counts, pairs)),
    collapse = "; ")
}

# How good the records behind the rows are.
unproven_rows_words <- function(rows) {
  sprintf(
    "Of %s, %d have unproven records on a side; degraded and invalid records take no part.",
    counted(nrow(rows), "row"), sum(rows$unproven > 0)
  )
}

# Experiments that measured the same settings: what another hour and another stonewall made of them. They are equal in
# everything else that tells cells apart.
experiment_ratios <- function(records) {
  transfers <- transfers_of(records)[verdict %in% usable_verdicts & !is.na(experiment)]
  if (nrow(transfers) == 0 || data.table::uniqueN(transfers$experiment) < 2) {
    return(data.table::data.table())
  }
  transfers[, beside := options_of_labels(label)]
  alike <- c("access", "beside", setdiff(dimensions(transfers), c("experiment", "suite", "stonewall_s")))
  points <- summarise_records(transfers, bandwidth_all(transfers), c(alike, "experiment"), "MiB/s")
  points <- real_storage(points[n > 0])
  first <- sort(unique(points$experiment))[1]
  pairs <- merge(points[experiment == first], points[experiment != first], by = alike)
  if (nrow(pairs) == 0) {
    return(data.table::data.table())
  }
  pairs[, .(
    emulated = any(emulated.x | emulated.y), experiment = experiment.y[1], instead_of = first, pairs = .N,
    ratio = exp(mean(log(median.y / median.x))), lowest = min(median.y / median.x), highest = max(median.y / median.x)
  ), by = .(target, access, experiment.y)][, experiment.y := NULL][]
}
