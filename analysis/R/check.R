# Mistakes in the files of the analysis, found before anything is measured: each file is loaded, and claims are read for
# functions and columns that are not there.

# Columns of the points that claims decide on; test-check.R compares them with what evidence_of returns.
columns_of_points <- function() {
  unique(c(
    point_keys, following, "median", "n", "rounds", "requested_bytes", "emulated", "unproven", "times", "reasons",
    "wire_mib_s"
  ))
}

# One message for each file or claim with a mistake.
problems_of_analysis <- function(home = analysis_home()) {
  loads <- c(
    lapply(setNames(nm = setdiff(names(part_kinds), "claims")), function(kind) {
      function() lapply(part_names(kind, home), load_part, kind = kind, home = home)
    }),
    metric = function() lapply(metric_names(home), load_metric, home = home)
  )
  broken <- unlist(lapply(loads, message_of))
  unname(c(broken, unlist(lapply(part_names("claims", home), problems_of_claims, home = home))))
}

# Nothing where it ends without an error.
message_of <- function(load) {
  tryCatch(
    {
      load()
      NULL
    },
    error = conditionMessage
  )
}

problems_of_claims <- function(name, home) {
  path <- file.path(home, "claims", paste0(name, ".R"))
  paper <- tryCatch(load_claims(name, home), error = identity)
  if (inherits(paper, "error")) {
    return(paste0(path, ": ", sub(paste0(path, ": "), "", conditionMessage(paper), fixed = TRUE)))
  }
  helpers <- Filter(is.function, mget(ls(paper), paper))
  decisions <- setNames(lapply(paper$claims, `[[`, "decide"), vapply(paper$claims, `[[`, "", "id"))
  unlist(c(
    Map(function(it, id) unknown_names(it, paper, sprintf("%s: claim '%s'", path, id)), decisions, names(decisions)),
    Map(function(it, id) unknown_names(it, paper, sprintf("%s: function %s", path, id)), helpers, names(helpers))
  ))
}

# The names in one function that are neither defined there nor in the package, nor a column of the points.
unknown_names <- function(it, scope, where) {
  found <- names_within(body(it))
  local <- c(names(formals(it)), found$assigned, ".", ".N", ".SD", ".BY", ".I")
  is_there <- function(name, mode) name %in% local || exists(name, envir = scope, mode = mode)
  calls <- Filter(function(name) !is_there(name, "function"), unique(found$called))
  columns <- Filter(function(name) !is_there(name, "any"), setdiff(found$used, columns_of_points()))
  c(
    sprintf("%s: there is no function '%s'", where, calls),
    sprintf("%s: there is no column '%s'; there are %s", where, columns, toString(sort(columns_of_points())))
  )
}

# Names called, used as variables, and assigned (also as parameters of inner functions) in an expression.
names_within <- function(code) {
  if (is.symbol(code)) {
    return(list(used = setdiff(as.character(code), "")))
  }
  if (!is.call(code)) {
    return(list())
  }
  head <- code[[1]]
  called <- if (is.symbol(head)) as.character(head) else ""
  if (called %in% c("::", ":::")) {
    return(list())
  }
  parts <- if (called %in% c("$", "@")) list(code[[2]]) else as.list(code)[-1]
  assigned <- if (called %in% c("<-", "=", "for") && is.symbol(code[[2]])) as.character(code[[2]])
  if (called == "function") {
    assigned <- names(code[[2]])
    parts <- list(code[[3]])
  }
  inner <- lapply(c(if (!is.symbol(head)) list(head), parts), names_within)
  of <- function(key) unlist(lapply(inner, `[[`, key))
  list(called = c(called[nzchar(called)], of("called")), used = of("used"), assigned = c(assigned, of("assigned")))
}
