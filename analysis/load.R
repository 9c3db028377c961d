# Loads the analysis: what R/*.R defines, in one environment on the search path, behind data.table. As a package it
# would load ggplot2 and all that it imports at each start; the facts of a page need a second less without it.

# R attaches these by itself, unless R_DEFAULT_PACKAGES names others.
invisible(lapply(c("methods", "utils", "grDevices", "graphics", "stats"), library, character.only = TRUE))
suppressPackageStartupMessages(library(data.table))

load_analysis <- function(home) {
  home <- normalizePath(home)
  functions <- attach(NULL, name = "analysis", warn.conflicts = FALSE)
  for (file in list.files(file.path(home, "R"), pattern = "[.]R$", full.names = TRUE)) {
    sys.source(file, functions)
  }
  assign("analysis_home", function() home, functions)
}
