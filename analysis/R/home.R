# The directory of the analysis: figures/, tables/, claims/ and metrics/ are found there, one file each.

# load.R replaces it with the directory that it loaded.
analysis_home <- function() stop("load the analysis by analysis/load.R")

# A scope of its own that sees the functions of the analysis, whatever the caller has defined.
new_scope <- function() new.env(parent = environment(load_definitions))

# What a file of such a directory defines.
load_definitions <- function(path) {
  definitions <- new_scope()
  sys.source(path, definitions)
  definitions
}
