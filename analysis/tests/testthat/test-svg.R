# Where the letters of an SVG are: a box for each text, from its anchor, its length and its turn.
text_boxes <- function(path) {
  page <- xml2::xml_ns_strip(xml2::read_xml(path))
  texts <- xml2::xml_find_all(page, "//text")
  number <- function(name) as.numeric(sub("px$", "", xml2::xml_attr(texts, name)))
  length <- number("textLength")
  style <- xml2::xml_attr(texts, "style")
  height <- 0.72 * as.numeric(sub(".*font-size: ([0-9.]+)px.*", "\\1", style))
  anchor <- xml2::xml_attr(texts, "text-anchor")
  before <- ifelse(is.na(anchor), 0, ifelse(anchor == "middle", length / 2, length))
  turn <- xml2::xml_attr(texts, "transform")
  turned <- regmatches(turn, regexec("translate\\(([0-9.-]+),([0-9.-]+)\\) rotate\\(([0-9-]+)\\)", turn))
  angle <- vapply(turned, function(found) if (length(found) == 4) as.numeric(found[4]) else 0, 1)
  x <- ifelse(angle == 0, number("x"), vapply(turned, function(found) as.numeric(found[2]), 1))
  y <- ifelse(angle == 0, number("y"), vapply(turned, function(found) as.numeric(found[3]), 1))
  boxes <- data.frame(
    text = xml2::xml_text(texts),
    left = ifelse(angle == 0, x - before, ifelse(angle == 90, x, x - height)),
    right = ifelse(angle == 0, x - before + length, ifelse(angle == 90, x + height, x)),
    top = ifelse(angle == 0, y - height, ifelse(angle == 90, y - before, y + before - length)),
    bottom = ifelse(angle == 0, y, ifelse(angle == 90, y - before + length, y + before)),
    of_axis = angle == 0 & grepl("fill: #404040", style, fixed = TRUE)
  )
  list(boxes = boxes, size = as.numeric(strsplit(xml2::xml_attr(page, "viewBox"), " ")[[1]][3:4]), style = style)
}

overlapping <- function(boxes) {
  if (nrow(boxes) < 2) {
    return(character())
  }
  pairs <- utils::combn(nrow(boxes), 2)
  one <- boxes[pairs[1, ], ]
  other <- boxes[pairs[2, ], ]
  hit <- one$left < other$right & other$left < one$right & one$top < other$bottom & other$top < one$bottom
  paste(one$text, other$text, sep = " | ")[hit]
}

# Labels of the axes below neighbouring panels that are closer than 2.5 mm read as one number: 10,000100. Panels share
# an axis, so that one begins where the first label of the line stands again.
close_neighbours <- function(boxes) {
  labels <- boxes[boxes$of_axis & grepl("[0-9]", boxes$text), ]
  lines <- split(labels, round(labels$bottom))
  unlist(lapply(lines, function(line) {
    line <- line[order(line$left), ]
    begins <- which(line$text[-1] == line$text[1]) + 1
    close <- begins[line$left[begins] - line$right[begins - 1] < 2.5 * 72 / 25.4]
    if (length(close) > 0) sprintf("%s|%s", line$text[close - 1], line$text[close])
  }))
}

# What fills the panels most: a study like that of 2018, of several nodes, processes and campaigns, and a laptop's.
crowded <- list(
  campaign = function() {
    read_synthetic(
      api = c("POSIX", "MPIIO"), nn = c(1, 2, 4, 8, 16), ppn = c(1, 8), xfer_bytes = c(2^14, 102400, 2^20, 10 * 2^20),
      order = "random", target = "ime-fuse-of-the-site", emulated = TRUE
    )
  },
  laptop = function() {
    read_synthetic(
      api = c("POSIX", "IME"), ppn = c(1, 2), xfer_bytes = c(2^14, 102400, 2^20, 10 * 2^20),
      order = c("sequential", "random"), target = c("disk", "memory"), layout = c("shared", "file-per-process"), n = 2
    )
  },
  interfaces = function() {
    read_synthetic(
      api = looks_of("api")$name, layout = c("shared", "file-per-process"), nn = c(1, 4), xfer_bytes = 4^(5:12)
    )
  },
  nodes = function() {
    records <- read_synthetic(api = c("POSIX", "MPIIO"), nn = c(1, 4, 16), ppn = c(1, 2, 8), order = "random",
      xfer_bytes = c(2^14, 2^20, 10 * 2^20), n = 1)
    records[, bw_mib_s := bw_mib_s * xfer_bytes * nn / 2^18]
    records[, `:=`(total_s = moved_bytes / bw_mib_s / 2^20, sync_s = io_s)]
  },
  netcdf = function() {
    netcdf_study(target = c("memory-pool-of-a-site", "disk", "backing", "ime-fuse", "memory"), n = 5, emulated = TRUE)
  },
  operations = function() {
    single_operations(target = c("disk", "backing", "ime-fuse-of-the-site", "memory"), xfer_bytes = c(2^14, 2^20))
  }
)

for (study in names(crowded)) {
  test_that(sprintf("no text of a figure covers another or leaves the page: %s", study), {
    skip_if_quick()
    records <- crowded[[study]]()
    inputs <- if (study == "operations") inputs_for(records) else list()
    own <- list(
      nodes = c("read-write", "overhead", "scaling"), netcdf = c("netcdf", "netcdf-ior"), operations = "latency"
    )[[study]]
    for (name in if (is.null(own)) part_names("figure", home) else own) {
      part <- load_part("figure", name, home)
      table <- part$make_table(records, inputs)
      if (!is.null(why_nothing(part, table, records))) next
      pages <- split_pages(table)
      path <- scratch("figure.svg")
      save_svg(laid_out(lapply(pages, draw_page, part = part)), heights_of(pages, part), path)
      drawn <- text_boxes(path)
      expect_gt(nrow(drawn$boxes), 0)
      sizes_pt <- as.numeric(sub(".*font-size: ([0-9.]+)px.*", "\\1", drawn$style))
      expect_gte(min(sizes_pt), 7, label = sprintf("smallest letter of %s", name))
      expect_identical(overlapping(drawn$boxes), character(), info = name)
      expect_null(close_neighbours(drawn$boxes), info = name)
      outside <- with(drawn$boxes, left < 0 | top < 0 | right > drawn$size[1] | bottom > drawn$size[2])
      expect_identical(drawn$boxes$text[outside], character(), info = name)
    }
  })
}

test_that("the first font of an SVG is installed here and others stand behind it", {
  stem <- scratch("text")
  save_plots(list(grid::textGrob("One line.", gp = grid::gpar(fontfamily = sans_family))), 25, stem)
  style <- text_boxes(paste0(stem, ".svg"))$style
  expect_match(style, "font-family: \"[^\"]+\", Arial, Helvetica, sans-serif;")
  expect_true(sub(".*font-family: \"([^\"]+)\".*", "\\1", style) %in% systemfonts::system_fonts()$family)
})
