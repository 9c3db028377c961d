# Lightness of colours as a grey print shows them, 0 to 100.
lightness <- function(colours) {
  rgb <- t(grDevices::col2rgb(colours)) / 255
  grDevices::convertColor(rgb, from = "sRGB", to = "Lab")[, 1]
}

# What a deuteranope sees, in Lab: red and green cones answer alike (Vienot, Brettel and Mollon 1999, in linear light).
seen_without_green <- function(colours) {
  linear <- (t(grDevices::col2rgb(colours)) / 255)^2.2
  mixed <- 0.29275 * linear[, 1] + 0.70725 * linear[, 2]
  seen <- cbind(mixed, mixed, pmin(1, pmax(0, -0.02234 * linear[, 1] + 0.02234 * linear[, 2] + linear[, 3])))
  grDevices::convertColor(seen^(1 / 2.2), from = "sRGB", to = "Lab")
}

test_that("two values of a kind that are close in grey differ in shape or line", {
  for (of in unique(looks$kind)) {
    shown <- looks_of(of)
    pairs <- utils::combn(nrow(shown), 2)
    apart <- abs(lightness(shown$colour[pairs[1, ]]) - lightness(shown$colour[pairs[2, ]]))
    same <- paste(shown$shape, shown$line)[pairs[1, ]] == paste(shown$shape, shown$line)[pairs[2, ]]
    expect_identical(pairs[, same & apart < 10], pairs[, FALSE], info = of)
  }
  expect_gt(min(dist(seen_without_green(looks_of("api", c("POSIX", "MPIIO", "IME"))$colour))), 25)
  expect_gt(min(dist(lightness(looks_of("file system")$colour))), 9)
})

test_that("a value has one look in all figures: IME as an interface and a file system, an order by either name", {
  expect_identical(looks_of("api", "IME"), looks_of("file system", "IME"))
  told <- looks[kind %in% c("order", "locality")][, name := in_words(name, c(seq = "sequential", rnd = "random",
    reverse0 = "reverse"))]
  expect_identical(nrow(unique(told[, .(name, colour, shape, line)])), data.table::uniqueN(told$name))
  drawn <- function(scales) lapply(scales[1:2], function(scale) scale$map(c("write", "read")))
  expect_identical(drawn(scale_access(c("write", "read"))), drawn(scale_access(c("read", "create", "write"))))
})

# A figure with colours of its own would show the same unlike the others.
test_that("no figure, table or other file of the analysis has colours or shapes of a kind of its own", {
  files <- list.files(file.path(home, c("figures", "R")), full.names = TRUE)
  files <- setdiff(files, file.path(home, "R", c("palette.R", "html.R")))
  greys <- "#([0-9a-f]{2})\\1\\1"
  for (file in files) {
    code <- paste(readLines(file), collapse = "\n")
    expect_no_match(gsub(greys, "", code), "c\\([^()]*\"#[0-9a-f]{6}\"", label = file)
    expect_no_match(code, "scale_(shape|linetype)_manual", label = file)
  }
})

test_that("every interface has a word, a colour and a shape that can be hollow", {
  expect_identical(names(words_of_column("api")), looks_of("api")$name)
  expect_true(all(looks$shape %in% 21:25))
})

test_that("accesses and outcomes are told apart by the colour-blind too", {
  expect_gt(min(dist(seen_without_green(looks_of("access", c("write", "read"))$colour))), 25)
  expect_gt(min(dist(seen_without_green(looks_of("outcome")$colour))), 15)
})

# What a print in grey shows alike must differ in its shape or its line.
test_that("storages and polygons of a radar are told apart in grey, emulated ones by broken lines", {
  shown <- looks_of_storages(c(disk = FALSE, memory = FALSE, buffer = TRUE, mount = TRUE, backing = TRUE))
  expect_identical(shown$name, c("disk", "memory", "buffer", "mount", "backing"))
  expect_false(anyDuplicated(shown$line) > 0)
  expect_identical(shown$line[1:2], c("solid", "F2"))
  expect_true(all(shown$line[3:5] %in% lines_of_emulated))
  points <- data.table::CJ(series = c("a", "b", "c"), phase = io500_phases$phase)[, `:=`(
    median = .I, verdict = "VALID", n = 1L)]
  drawn <- radar(on_radar(points, 3), 3, looks_of_storages(c(a = FALSE, b = FALSE, c = TRUE)))
  marks <- unique(points_of(drawn)[c("colour", "shape")])
  expect_identical(nrow(marks), 3L)
  expect_false(anyDuplicated(marks$shape) > 0)
  expect_setequal(layers_of(drawn, "GeomPolygon")[[1]]$linetype, c("solid", "F2", "42"))
})

test_that("text in a colour is dark enough to be read on white, and as light as that allows", {
  colours <- c(looks$colour, looks_of_places$other$colour, looks_of_sizes(1:8)$colour, "#ffffff")
  expect_gte(min(contrast(ink_of(colours), "white")), least_contrast)
  dark <- contrast(colours, "white") >= least_contrast
  expect_identical(toupper(ink_of(colours[dark])), toupper(colours[dark]))
  expect_lt(max(contrast(ink_of(colours[!dark]), "white")), 4.6)
})

test_that("the names at the ends of lines are as dark as text has to be, and have the hue of their lines", {
  records <- with_cells(read_synthetic(nn = c(1, 2, 4), xfer_bytes = 2^c(14, 17, 20, 22)))
  drawn <- layers_of(plot_of(known_figures$scaling, records), "GeomLabel")[[1]]
  expect_gte(min(contrast(drawn$colour, "white")), least_contrast)
  sizes <- looks_of_sizes(format_plain(2^c(14, 17, 20, 22)))
  expect_setequal(drawn$colour, ink_of(sizes$colour))
})

test_that("a key of one entry is not drawn: what it would tell stands above the panels", {
  skip_if_quick()
  one <- list(
    effects = list(many_nodes(access = "write"), "write"),
    "transfer-size" = list(one_node()[api == "POSIX"], "POSIX, shared file"),
    scaling = list(many_nodes()[xfer_bytes == 2^20], "1 MiB"),
    timeline = list(study_for("timeline", access = "read"), "read"),
    overhead = list(many_nodes(access = "read"), "open and close"), latency = list(single_operations(), "synthetic")
  )
  for (name in names(one)) {
    plot <- plot_of(known_figures[[name]], one[[name]][[1]])
    expect_false(any(entries_of_keys(plot) == 1), info = name)
    expect_match(plot$labels$subtitle, one[[name]][[2]], fixed = TRUE, info = name)
  }
  expect_identical(entries_of_keys(plot_of(known_figures$effects, many_nodes())), 2L)
})

test_that("sizes go from dark to light, never to white, and neighbours have shapes of their own", {
  for (count in 2:8) {
    shown <- looks_of_sizes(seq_len(count))
    light <- lightness(shown$colour)
    expect_gt(min(diff(light)), 4)
    expect_lt(max(light), 85)
    expect_false(any(shown$shape[-1] == shown$shape[-count]))
  }
})

test_that("every back end of the engine has a colour and a shape that no other has, a new one too", {
  sources <- list.files(file.path(checkout, "src", "engine", "backends"), pattern = "[.]c$", full.names = TRUE)
  named <- unlist(lapply(sources, function(source) grep("^ *[.]name = ", readLines(source), value = TRUE)))
  known <- sub(".*\"([A-Z0-9]+)\".*", "\\1", named)
  expect_length(known, sum(!grepl("_", basename(sources)))) # hdf5_stored.c and the like are parts of one
  own <- intersect(known, looks_of("api")$name)
  expect_true(all(c("POSIX", "MPIIO", "HDF5", "NETCDF4", "PNETCDF", "IME", "MMAP") %in% own))
  scales <- scale_api(c(known, "TOMORROW"))
  expect_false(anyDuplicated(scales[[1]]$palette(length(known) + 1)) > 0)
})

test_that("interfaces of logs of others, or of a new back end, are drawn and named, each in a colour of its own", {
  scales <- scale_api(c("DFS", "POSIX", "ARC"))
  colour <- scales[[1]]
  colour$train(c("DFS", "POSIX", "ARC"))
  expect_identical(as.vector(colour$get_breaks()), c("POSIX", "ARC", "DFS"))
  expect_identical(unname(colour$map(c("ARC", "DFS"))), looks_of_places$other$colour[1:2])
})

test_that("the ink on a tile is the one of higher contrast, and no tile leaves a number that cannot be read", {
  shades <- shade(seq(0, 1, 0.02), "#f2f5fa", "#123a6b")
  far <- abs(lightness(shades) - lightness(ink_on(shades)))
  expect_gt(min(far), 38)
  expect_gte(min(contrast(shades, ink_on(shades))), least_contrast)
  expect_identical(ink_on(c("#f2f5fa", "#123a6b")), c("black", "white"))
  expect_identical(mark_tile(c("1", "2"), c("UNPROVEN", "UNPROVEN")), c("1", "2"))
  expect_identical(tile_words(data.table(verdict = c("UNPROVEN", "UNPROVEN"))), "All 2 cells are unproven.")
})
