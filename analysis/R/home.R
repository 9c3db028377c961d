# The directory of the analysis: figures/, tables/, claims/ and metrics/ are found there, one file each.

analysis_home <- function() getNamespaceInfo(asNamespace("weir"), "path")

# What a file of such a directory defines, in a scope of its own that sees the package.
load_definitions <- function(path) {
  definitions <- new.env(parent = asNamespace("weir"))
  sys.source(path, definitions)
  definitions
}
