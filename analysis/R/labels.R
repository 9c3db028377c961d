# Names and quantities as a reader sees them; the same terms in figures, tables and prose.

# Accesses and orders stand in the order in which they happen.
access_levels <- c("write", "read")
order_levels <- c("sequential", "random")

in_words <- function(values, words) {
  found <- unname(words[as.character(values)])
  ifelse(is.na(found), as.character(values), found)
}

api_words <- function(api) in_words(api, words_of_column("api"))

layout_words <- function(layout) in_words(layout, words_of_column("layout"))

counted <- function(count, one, many = paste0(one, "s")) {
  paste(count, ifelse(count == 1, one, many))
}

thousands <- function(count) format(count, big.mark = ",", scientific = FALSE, trim = TRUE)

bytes_words <- function(bytes) {
  step <- pmin(5, pmax(0, floor(log(pmax(bytes, 1), 1024) + 1e-9)))
  amount <- bytes / 1024^step
  whole <- abs(amount - round(amount)) < 1e-9
  text <- ifelse(whole, format_plain(round(amount)), format_plain(signif(amount, 3)))
  # A size that is not a round number of a larger unit is printed in bytes, so that it can be recognised: 47008 B.
  odd <- !is.na(bytes) & !whole & bytes < 1024^2
  ifelse(is.na(bytes), NA_character_, ifelse(odd, paste(format_plain(bytes), "B"), paste(text, byte_units[step + 1])))
}

byte_units <- c("B", "KiB", "MiB", "GiB", "TiB", "PiB")

format_plain <- function(values) of_unique(values, plain_digits)

# As many digits as the number has, never an exponent.
plain_digits <- function(values) {
  words <- sprintf("%.15g", as.numeric(values))
  with_exponent <- grep("e", words, fixed = TRUE)
  words[with_exponent] <- vapply(values[with_exponent], format, "", scientific = FALSE, trim = TRUE, digits = 15)
  replace(words, is.na(values), NA_character_)
}

# Three significant digits, thousands separated: what a bandwidth deserves.
# Halves up, as threeDigits() of page.js and three_digits() of weir/base/units.py: a tie must not differ between print,
# page and terminal.
three_digits <- function(values) {
  size <- abs(values)
  known <- is.finite(size) & size > 0
  power <- ifelse(known, floor(log10(size)) - 2, 0)
  scaled <- ifelse(power >= 0, size / 10^pmax(power, 0), size * 10^pmax(-power, 0))
  whole <- floor(scaled + 0.5)
  rounded <- ifelse(power >= 0, whole * 10^pmax(power, 0), whole / 10^pmax(-power, 0))
  ifelse(known, sign(values) * rounded, values)
}

rate_words <- function(values) {
  of_unique(values, function(values) {
    words <- prettyNum(plain_digits(three_digits(values)), big.mark = ",", preserve.width = "none")
    replace(words, is.na(values), "--")
  })
}

# Words for microseconds: 21.5 µs, 16.4 ms, 1.2 s.
duration_words <- function(microseconds) {
  step <- ifelse(is.na(microseconds), 0, findInterval(three_digits(microseconds), c(1e3, 1e6)))
  paste0(rate_words(microseconds / c(1, 1e3, 1e6)[step + 1]), c(" \u00b5s", " ms", " s")[step + 1])
}

# In three digits whatever the size: 1.87M, 312k.
short_rate_words <- function(values) {
  step <- ifelse(is.na(values), 0, findInterval(three_digits(values), c(1e4, 1e6)))
  paste0(rate_words(values / c(1, 1e3, 1e6)[step + 1]), c("", "k", "M")[step + 1])
}

# An archive's sidecar has names for the folders of its logs (about: experiments:), which nobody else can read.
named_experiments <- local({
  known <- character()
  function(facts = NULL) {
    if (!is.null(facts)) known <<- unlist(facts$about$experiments)
    known
  }
})

is_named <- function(experiments) experiments %in% names(named_experiments())

experiment_words <- function(experiments) in_words(experiments, named_experiments())

axis_words <- c(nn = "nodes", ppn = "processes per node")

capitalised <- function(text) sub("^(.)", "\\U\\1", text, perl = TRUE)

flag_words <- list(
  collective = c("independent", "collective"), sync = c("no sync", "sync"), direct = c("buffered", "O_DIRECT"),
  # What is plain goes without saying.
  fill = c("", "pre-filled"), unlimited = c("", "unlimited dimension")
)

column_words <- function(column, values) {
  if (column %in% names(flag_words)) {
    return(ifelse(is.na(values), "", flag_words[[column]][values + 1]))
  }
  words <- switch(column,
    api = api_words(values),
    layout = layout_words(values),
    nn = counted(values, "node"),
    ppn = paste(counted(values, "process", "processes"), "per node"),
    experiment = paste0(ifelse(is_named(values), "", "experiment "), experiment_words(values)),
    suite = paste("suite", values), program_of = paste("over", values),
    xfer_bytes = bytes_words(values),
    block_bytes = paste("block", bytes_words(values)),
    segments = counted(values, "segment"),
    stonewall_s = ifelse(values == 0, "no stonewall", paste0("stonewall ", values, " s")),
    stripe_count = counted(values, "stripe"),
    chunking = ifelse(values %in% c("contiguous", "chunked"), values, paste("chunks", values)),
    deflate_level = ifelse(values %in% 0, "", paste("deflate", values)),
    locality = paste("order in the file:", values),
    memory = ifelse(values %in% "off0", "one buffer", "buffers in random order"),
    named_value(column, values)
  )
  ifelse(is.na(values), "", words)
}

# Names a dimension that has no text of its own: "queue depth 8"; what is a name itself stands alone.
named_value <- function(column, values) {
  if (column %in% c("access", "site", "target", "stack", "tool", "program", "order", "label", "variant", "kind",
    "page", "axis", "phase", "way", "shape")) {
    return(as.character(values))
  }
  schema <- record_columns()
  unit <- schema$unit[match(column, schema$name)]
  suffix <- sprintf("_(s|us|bytes|%s)$", if (is.na(unit)) "" else tolower(unit))
  name <- gsub("_", " ", sub(suffix, "", column))
  trimws(paste(name, as.character(values), if (is.na(unit)) "" else unit))
}

# One text for each row: the columns as text, joined by commas.
describe_columns <- function(rows, columns, separator = ", ") {
  if (length(columns) == 0 || nrow(rows) == 0) {
    return(rep("", nrow(rows)))
  }
  told <- rows[, columns, with = FALSE]
  if ("collective" %in% columns && !is.null(rows$api)) {
    data.table::set(told, which(!rows$api %in% collective_apis), "collective", NA)
  }
  of_unique(told, function(rows) {
    joined_words(lapply(columns, function(column) column_words(column, rows[[column]])), separator)
  })
}

# The same of columns of text: what is there of each row.
joined_words <- function(columns, separator = ", ") {
  apply(do.call(cbind, columns), 1, function(row) paste(row[!is.na(row) & nzchar(row)], collapse = separator))
}

# Keys that sort values as a reader expects, also the numbers in texts: 2 before 10, 64 KiB before 1 MiB.
by_size <- function(values) {
  if (!is.character(values)) {
    return(values)
  }
  known <- enc2utf8(unique(values))
  number <- gregexpr(sprintf("[0-9]+([.][0-9]+)?( (%s)\\b)?", paste(byte_units, collapse = "|")), known, perl = TRUE)
  regmatches(known, number) <- lapply(regmatches(known, number), function(found) {
    unit <- match(sub("^[^ ]* ?", "", found), byte_units, nomatch = 1)
    sprintf("%030.6f", as.numeric(sub(" .*", "", found)) * 1024^(unit - 1))
  })
  ifelse(is.na(values), NA, known[match(values, unique(values))])
}

# Words are made once for each different row or value: there are few.
of_unique <- function(values, in_words) {
  if (data.table::is.data.table(values)) {
    different <- unique(values)
    found <- in_words(different)
    return(found[data.table::copy(different)[, at := .I][values, on = names(values)]$at])
  }
  different <- unique(values)
  in_words(different)[match(values, different)]
}

# So many decimals tell a number near one from one: three of 1.004 and 0.996, four of 0.9996; NA of other numbers.
# factor() of scale.js has the same.
decimals_near_one <- function(values) {
  away <- abs(values - 1)
  near <- values >= 0.995 & values <= 1.006 & away > 0
  as.numeric(ifelse(near, pmin(6, floor(-log10(away)) + 1), NA))
}

# The same as significant digits.
digits_near_one <- function(values, otherwise) {
  data.table::fcoalesce(decimals_near_one(values) + (values > 1), as.numeric(otherwise))
}

# As two_digits(): a share near the whole is neither the whole nor more.
percent_words <- function(shares) paste0(percent_digits(shares), "~\\%")

percent_digits <- function(shares) {
  if (length(shares) == 0) {
    return(character()) # of no digits signif() stops
  }
  format_plain(signif(100 * shares, digits_near_one(shares, ifelse(shares < 0.995, 2, 3))))
}

# Per cent without decimals, but where they would read as nothing or as all and are not.
whole_percent <- function(shares) {
  words <- sprintf("%.0f", 100 * shares)
  ifelse(words %in% c("0", "100") & !shares %in% c(0, 1), percent_digits(shares), words)
}

signed_percent <- function(shares) paste0(ifelse(shares < 0, "-", "+"), whole_percent(abs(shares)))

# The level that the intervals of these points have.
level_words <- function(points) {
  levels <- if (nrow(points) > 0) points$level[!is.na(points$level)]
  if (length(levels) == 0) {
    return("95~\\%")
  }
  words <- unique(sprintf("%.0f", 100 * range(levels)))
  paste0(paste(words, collapse = " to "), "~\\%")
}

# Emulated storage is marked where its name stands.
emulated_mark <- " (E)"

mark_emulated <- function(table) {
  if (is.null(table$emulated) || is.null(table$target) || !any(table$emulated %in% TRUE)) {
    return(table)
  }
  data.table::copy(table)[emulated == TRUE, target := paste0(target, emulated_mark)]
}

mark_name <- function(target, emulated) paste0(target, ifelse(emulated %in% TRUE, emulated_mark, ""))
