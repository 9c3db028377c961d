# How what is drawn looks: one table of colours, shapes and lines that all figures read, the scales from it, and the
# colours of text.

# Values of a kind differ in shape or line as well as in colour, which a print in grey keeps. Each shape can be hollow,
# for degraded points. IME looks the same as an interface and as a file system; writes and reads have the marks of the
# page (systems.js).
looks <- data.table::fread(sep = "|", colClasses = list(character = c("kind", "name", "colour", "line")), text = "
kind        | name                    | colour  | shape | line
api         | POSIX                   | #16325c | 21    | solid
api         | MPIIO                   | #d1495b | 22    | solid
api         | IME                     | #e9a820 | 24    | solid
api         | HDF5                    | #1b7f79 | 23    | solid
api         | NETCDF4                 | #7b4fa6 | 25    | solid
api         | PNETCDF                 | #6fb1de | 21    | solid
api         | MMAP                    | #8c4a1d | 24    | solid
api         | NULL                    | #9a9a9a | 22    | solid
access      | write                   | #d55e00 | 21    | solid
access      | read                    | #0072b2 | 23    | solid
access      | create                  | #8c4a1d | 22    | solid
access      | stat                    | #6fb1de | 24    | solid
access      | rename                  | #7b4fa6 | 25    | solid
access      | remove                  | #2a8f88 | 22    | solid
access      | find                    | #606060 | 21    | solid
layout      | shared                  | #16325c | 21    | solid
layout      | file-per-process        | #d1495b | 22    | 22
order       | sequential              | #16325c | 21    | solid
order       | reverse                 | #1b7f79 | 24    | solid
order       | random                  | #d1495b | 22    | solid
locality    | off0                    | #e9a820 | 23    | solid
locality    | seq                     | #16325c | 21    | solid
locality    | reverse0                | #1b7f79 | 24    | solid
locality    | rnd                     | #d1495b | 22    | solid
memory      | off0                    | #404040 | 21    | solid
memory      | memory-rnd              | #404040 | 21    | 22
phase       | open and close          | #16325c | 21    | solid
phase       | synchronisation         | #d98b00 | 24    | solid
way         | independent, contiguous | #16325c | 21    | solid
way         | independent, chunked    | #1b7f79 | 22    | solid
way         | collective, contiguous  | #d1495b | 24    | solid
way         | collective, chunked     | #e9a820 | 23    | solid
outcome     | reproduced              | #0072b2 | 21    | solid
outcome     | contradicted            | #b00020 | 24    | solid
outcome     | undecided               | #606060 | 22    | solid
file system | Lustre                  | #16325c | 21    | solid
file system | Spectrum Scale          | #1b7f79 | 22    | solid
file system | BeeGFS                  | #c46fb0 | 23    | solid
file system | IME                     | #e9a820 | 24    | solid
per         | whole system            | #16325c | 21    | solid
per         | one node                | #3f7fb5 | 21    | solid
per         | one process             | #a8a8a8 | 21    | solid
")

# What has no look of its own, as storages and the interfaces of third-party logs, has the next of these; after the last
# the first comes again.
looks_of_places <- list(
  other = list(colour = c("#606060", "#a8c256", "#c46fb0", "#3d2b1f"), shape = c(25L, 23L, 21L, 22L)),
  storage = list(
    colour = c("#0072b2", "#d55e00", "#1b7f79", "#7b4fa6", "#e9a820", "#6fb1de", "#8c4a1d", "#606060"),
    shape = c(21L, 22L, 24L, 23L, 25L, 21L, 22L, 24L)
  ),
  # Beside the file systems of published results.
  "own storage" = list(colour = c("#d55e00", "#8c4a1d", "#7b4fa6", "#3d2b1f"), shape = c(25L, 22L, 23L, 21L))
)

# Emulated storage has broken lines, real storage whole ones or nearly so.
lines_of_real <- c("solid", "F2", "8282")
lines_of_emulated <- c("42", "12", "4212", "421212")

# The looks of these values in the order of the table, by default of all in it; those of other values behind them.
looks_of <- function(of, values = NULL) {
  known <- looks[kind == of & (is.null(values) | name %in% values), .(name, colour, shape, line)]
  rbind(known, looks_by_place("other", sort(setdiff(as.character(values), c(known$name, NA)))), use.names = TRUE)
}

looks_by_place <- function(places, names) {
  shown <- data.table::as.data.table(lapply(looks_of_places[[places]], rep_len, length(names)))
  shown[, `:=`(name = names, line = rep_len("solid", .N))][]
}

# Storages in the order given; `emulated` has their names.
looks_of_storages <- function(emulated, places = "storage") {
  shown <- looks_by_place(places, names(emulated))
  shown[, line := replace(line, !emulated, rep_len(lines_of_real, sum(!emulated)))]
  shown[, line := replace(line, emulated, rep_len(lines_of_emulated, sum(emulated)))][]
}

# From small to large: dark to light, so that the order survives a grey print; without the lightest, which vanish.
looks_of_sizes <- function(sizes) {
  count <- length(sizes)
  data.table::data.table(
    name = as.character(sizes), shape = rep_len(c(21L, 22L, 24L, 23L, 25L), count), line = "solid",
    colour = grDevices::hcl.colors(count + max(1, ceiling(count / 4)), "viridis")[seq_len(count)]
  )
}

colours_of <- function(of) looks[kind == of, setNames(colour, name)]

# ---- scales ----------------------------------------------------------------------------------------------------------

# Colour, shape and fill of `shown` and their one key, and where nothing else has lines the line. The key shows the
# filled marks, whatever is drawn hollow; one of a single entry would say what stands above the panels (constant_words).
# `entries` stand in a line of it; further arguments are what it shows of all marks.
scale_looks <- function(shown, title = NULL, labels = ggplot2::waiver(), lines = TRUE, entries = 5, ...) {
  key <- function(...) {
    if (nrow(shown) < 2) {
      return("none")
    }
    ggplot2::guide_legend(order = 1, nrow = ceiling(nrow(shown) / entries), byrow = TRUE, ...)
  }
  scale_of <- function(scale, column, guide) {
    scale(title, values = setNames(shown[[column]], shown$name), breaks = shown$name, labels = labels, guide = guide)
  }
  marks <- utils::modifyList(list(fill = shown$colour, shape = shown$shape), list(...))
  if (!lines) marks <- c(marks, linetype = "blank", size = 1.6)
  list(
    # ggplot merges the keys if all but what they override agree.
    scale_of(ggplot2::scale_colour_manual, "colour", key(override.aes = marks)),
    scale_of(ggplot2::scale_shape_manual, "shape", key()),
    if (lines) scale_of(ggplot2::scale_linetype_manual, "line", key()),
    ggplot2::scale_fill_manual(values = setNames(shown$colour, shown$name), na.value = "white", guide = "none")
  )
}

scale_api <- function(values) scale_looks(looks_of("api", values), "Interface", api_words, lines = FALSE)

scale_access <- function(values, ...) scale_looks(looks_of("access", values), ...)

# Layouts by their lines, beside what has colours; `title` of other things that only lines tell apart.
scale_lines <- function(shown, title, labels) {
  ggplot2::scale_linetype_manual(title, values = setNames(shown$line, shown$name), breaks = shown$name,
    labels = labels, na.value = "solid", guide = if (nrow(shown) < 2) "none" else ggplot2::guide_legend(order = 2))
}

# Transfer sizes; `sizes` is the column that is mapped, in bytes.
scale_sizes <- function(sizes) {
  scale_looks(looks_of_sizes(format_plain(sort(unique(sizes)))), "Transfer size",
    function(bytes) bytes_words(as.numeric(bytes)), lines = FALSE)
}

# ---- text ------------------------------------------------------------------------------------------------------------

# What text needs against the white of the paper to be read (WCAG).
least_contrast <- 4.5

# The same hue, as dark as text of it has to be.
ink_of <- function(colours) {
  light <- linear_light(colours)
  most <- 1.05 / least_contrast - 0.05
  darker <- sweep(light, 2, pmin(1, most / pmax(luminance(colours), 1e-9)), "*")
  # A rounded part may be lighter than wanted.
  parts <- floor(255 * ifelse(darker <= 0.0031308, 12.92 * darker, 1.055 * darker^(1 / 2.4) - 0.055) + 1e-6)
  grDevices::rgb(parts[1, ], parts[2, ], parts[3, ], maxColorValue = 255)
}

# The ink that is read better on a tile.
ink_on <- function(colours) ifelse(contrast(colours, "white") > contrast(colours, "black"), "white", "black")

contrast <- function(one, other) {
  levels <- cbind(luminance(one), luminance(other)) + 0.05
  pmax(levels[, 1], levels[, 2]) / pmin(levels[, 1], levels[, 2])
}

luminance <- function(colours) drop(c(0.2126, 0.7152, 0.0722) %*% linear_light(colours))

# A row for red, green and blue each.
linear_light <- function(colours) {
  parts <- grDevices::col2rgb(colours) / 255
  ifelse(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055)^2.4)
}
