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

test_that("two interfaces differ in grey, and where they are close they differ in shape as well", {
  pairs <- utils::combn(names(api_colours), 2)
  apart <- abs(lightness(api_colours[pairs[1, ]]) - lightness(api_colours[pairs[2, ]]))
  same_shape <- api_shapes[pairs[1, ]] == api_shapes[pairs[2, ]]
  expect_identical(pairs[, same_shape & apart < 10], pairs[, FALSE])
  expect_gt(min(dist(seen_without_green(api_colours[c("POSIX", "MPIIO", "IME")]))), 25)
})

test_that("every interface has a word, a colour and a shape that can be hollow", {
  expect_identical(names(api_colours), api_levels)
  expect_identical(names(api_shapes), api_levels)
  expect_identical(names(words_of_column("api")), api_levels)
  expect_true(all(api_shapes %in% 21:25))
})

test_that("accesses and outcomes are told apart by the colour-blind too", {
  expect_gt(min(dist(seen_without_green(access_colours[c("write", "read")]))), 25)
  expect_gt(min(dist(seen_without_green(outcome_colours))), 15)
})

# What a print in grey shows alike must differ in its shape or its line.
test_that("accesses, storages and polygons of a radar are told apart in grey", {
  expect_false(access_shapes[["write"]] == access_shapes[["read"]])
  expect_identical(names(access_shapes), names(access_colours))
  emulated <- c(disk = FALSE, memory = FALSE, buffer = TRUE, mount = TRUE, backing = TRUE)
  lines <- storage_linetypes(emulated)
  expect_identical(names(lines), names(emulated))
  expect_false(anyDuplicated(lines) > 0)
  expect_identical(lines[["disk"]], "solid")
  points <- data.table::CJ(series = c("a", "b", "c"), phase = io500_phases$phase)[, `:=`(
    median = .I, verdict = "VALID", n = 1L)]
  drawn <- radar(on_radar(points, 3), 3, c(a = "#0072b2", b = "#1b7f79", c = "#d55e00"))
  is_point <- vapply(drawn$layers, function(layer) inherits(layer$geom, "GeomPoint"), TRUE)
  shapes <- unique(ggplot2::layer_data(drawn, which(is_point)[1])[c("colour", "shape")])
  expect_identical(nrow(shapes), 3L)
  expect_false(anyDuplicated(shapes$shape) > 0)
})

test_that("sizes go from dark to light, never to white, and neighbours have shapes of their own", {
  for (count in 2:8) {
    light <- lightness(size_colours(count))
    expect_gt(min(diff(light)), 4)
    expect_lt(max(light), 85)
    expect_false(any(size_shapes(count)[-1] == size_shapes(count)[-count]))
  }
})

test_that("every back end of the engine has a colour and a shape that no other has, a new one too", {
  sources <- list.files(file.path(checkout, "src", "engine", "backends"), pattern = "[.]c$", full.names = TRUE)
  named <- unlist(lapply(sources, function(source) grep("^ *[.]name = ", readLines(source), value = TRUE)))
  known <- sub(".*\"([A-Z0-9]+)\".*", "\\1", named)
  expect_length(known, sum(!grepl("_", basename(sources)))) # hdf5_stored.c and the like are parts of one
  expect_true(all(c("POSIX", "MPIIO", "HDF5", "NETCDF4", "PNETCDF", "IME", "MMAP") %in% intersect(known, api_levels)))
  scales <- scale_api(c(known, "TOMORROW"))
  expect_false(anyDuplicated(scales[[1]]$palette(length(known) + 1)) > 0)
})

test_that("interfaces of logs of others, or of a new back end, are drawn and named, each in a colour of its own", {
  scales <- scale_api(c("DFS", "POSIX", "ARC"))
  colour <- scales[[1]]
  colour$train(c("DFS", "POSIX", "ARC"))
  expect_identical(as.vector(colour$get_breaks()), c("POSIX", "ARC", "DFS"))
  expect_identical(unname(colour$map(c("ARC", "DFS"))), spare_colours[1:2])
})

test_that("the ink on a tile is the one of higher contrast, and no tile leaves a number that cannot be read", {
  shades <- shade(seq(0, 1, 0.02), "#f2f5fa", "#123a6b")
  far <- abs(lightness(shades) - lightness(ink_on(shades)))
  expect_gt(min(far), 38)
  expect_identical(ink_on(c("#f2f5fa", "#123a6b")), c("#202020", "white"))
  expect_identical(mark_tile(c("1", "2"), c("UNPROVEN", "UNPROVEN")), c("1", "2"))
  expect_identical(tile_words(data.table(verdict = c("UNPROVEN", "UNPROVEN"))), "All 2 cells are unproven.")
})
