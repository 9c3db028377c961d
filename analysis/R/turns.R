# Whether two sides were measured in turns, from the times at which their rounds began.
#
# What changes during a campaign is in a ratio as far as one side was measured later than the other. In turns that is
# less than one of n rounds; one after the other it is half of the time that a pair took, or more.

# `first` and `other` are seconds, one for each round of each pair. What does not tell when it began was not measured in
# turns, as far as anyone knows.
in_turns <- function(first, other, pair) {
  if (length(first) == 0 || anyNA(first) || anyNA(other)) {
    return(FALSE)
  }
  pairs <- spans_of_pairs(data.table::data.table(pair, first, other), "pair")
  took_turns(pairs$span, pairs$lag, length(first) / nrow(pairs))
}

# Columns late, early and gap first: data.table aggregates plain columns at once, and expressions group by group.
spans_of_pairs <- function(rounds, by) {
  rounds[, `:=`(late = pmax(first, other), early = pmin(first, other), gap = other - first)]
  pairs <- rounds[, .(late = max(late), early = min(early), lag = mean(gap), rounds = .N), by = by]
  pairs[, span := late - early][]
}

took_turns <- function(span, lag, rounds) {
  abs(mean(ifelse(span == 0, 0, lag / span))) <= 1 / max(2, rounds)
}

# "2026-01-31T23:59:00.5+00:00" in seconds since 1970. Beside such times one without a zone, as IOR prints it, is local
# time here.
seconds_of <- function(times) {
  known <- unique(times)
  clock <- function(zone) as.numeric(as.POSIXct(strptime(substr(known, 1, 32), "%Y-%m-%dT%H:%M:%OS", tz = zone)))
  seconds <- clock("UTC")
  zoned <- "^.*T.*([+-])([0-9]{2}):([0-9]{2})$"
  away <- grepl(zoned, known)
  minutes <- as.numeric(sub(zoned, "\\2", known[away])) * 60 + as.numeric(sub(zoned, "\\3", known[away]))
  seconds[away] <- seconds[away] - 60 * minutes * ifelse(sub(zoned, "\\1", known[away]) == "-", -1, 1)
  told <- away | grepl("Z$", known)
  if (any(told)) seconds[!told] <- clock("")[!told]
  seconds[match(times, known)]
}

# Whether the batches of a study took turns, real and emulated storage each among themselves; NA of a single batch.
batches_in_turns <- function(records) {
  of_batch <- c("emulated", "target", "stack", "nn", "ppn")
  known <- records[!is.na(began) & !is.na(run), c(of_batch, "run", "began"), with = FALSE]
  rounds <- known[, at := seconds_of(began)][, .(at = mean(at)), by = c(of_batch, "run")]
  rounds[, batch := .GRP, by = of_batch]
  pairs <- merge(rounds, rounds, by = c("emulated", "run"), allow.cartesian = TRUE)[batch.x < batch.y]
  if (nrow(pairs) == 0) {
    return(if (data.table::uniqueN(records, by = of_batch) > 1) FALSE else NA)
  }
  data.table::setnames(pairs, c("at.x", "at.y"), c("first", "other"))
  spans <- spans_of_pairs(pairs, c("batch.x", "batch.y"))
  all(spans[, took_turns(span, lag, rounds), by = .(batch.x, batch.y)]$V1)
}
