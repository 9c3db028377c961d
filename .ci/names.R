# Names that are defined nowhere. In `x[...]`, aes(), vars() and setorder() a name may also be a column: one that the
# schema of records or a published table has, or that some file of the analysis makes.

known_columns <- function(files, schema, tables) {
  made <- lapply(files, function(file) columns_made(parse(file, keep.source = FALSE)))
  properties <- grep("^  [a-z0-9_]+:", readLines(schema), value = TRUE)
  headers <- strsplit(vapply(tables, readLines, "", n = 1), ",", fixed = TRUE)
  plain <- unique(c(".", "N", unlist(made), unlist(headers), sub("^  ([a-z0-9_]+):.*", "\\1", properties)))
  # What a join or a merge puts before or behind a name.
  c(plain, paste0("i.", plain), paste0("..", plain), paste0(plain, ".x"), paste0(plain, ".y"), suffixed(plain))
}

suffixed <- function(plain) {
  endings <- grep("^_[a-z]", plain, value = TRUE)
  paste0(rep(plain, length(endings)), rep(endings, each = length(plain)))
}

# Names of arguments, what `:=` assigns, and texts that are names: c("nn", "ppn").
columns_made <- function(code) {
  if (is.character(code)) {
    return(grep("^[A-Za-z_.][A-Za-z0-9_.]*$", code, value = TRUE))
  }
  if (is.recursive(code) && !is.environment(code)) {
    assigned <- if (is.call(code) && identical(code[[1]], as.name(":="))) as.character(code[2])
    return(unlist(c(names(code), assigned, lapply(as.list(code), columns_made))))
  }
  NULL
}

is_mask <- function(call) {
  head <- call[[1]]
  if (is.call(head) && identical(head[[1]], as.name("::"))) head <- head[[3]]
  any(vapply(c("[", "aes", "vars", "setorder"), function(name) identical(head, as.name(name)), TRUE))
}

nothing <- as.list(formals(function(empty) empty))

own_names <- function(arguments, code) c(names(arguments), codetools::findFuncLocals(arguments, code))

# Each argument of a mask becomes a function of the columns that it names, so that they count as defined there alone.
with_columns <- function(code, columns) {
  if (!is.call(code)) {
    return(code)
  }
  if (identical(code[[1]], as.name("function"))) {
    columns <- setdiff(columns, own_names(code[[2]], code[[3]]))
  } else if (identical(code[[1]], as.name("local"))) {
    columns <- setdiff(columns, own_names(NULL, code[[2]]))
  }
  mask <- is_mask(code)
  for (i in seq_along(code)[-1]) {
    if (identical(code[[i]], nothing$empty)) next
    part <- with_columns(code[[i]], columns)
    masked <- mask && (i > 2 || !identical(code[[1]], as.name("[")))
    used <- if (masked) intersect(all.names(part), columns)
    if (length(used) > 0) {
      arguments <- as.pairlist(setNames(rep(nothing, length(used)), used))
      part <- call("function", arguments, part)
    }
    if (!is.null(part)) code[[i]] <- part
  }
  code
}

# Checks all files together, as the functions of a package are; a statement that defines no function is checked as one.
names_undefined <- function(files, namespace, columns) {
  # load_part() defines the name of a part; load.R is read by draw.R.
  scope <- list2env(list(name = NULL, load_analysis = identity), parent = namespace)
  statements <- unlist(lapply(files, function(file) as.list(parse(file, keep.source = FALSE))))
  for (code in statements) {
    assigns <- is.call(code) && identical(code[[1]], as.name("<-")) && is.name(code[[2]])
    defines <- assigns && is.call(code[[3]]) && identical(code[[3]][[1]], as.name("function"))
    if (assigns) assign(as.character(code[[2]]), if (defines) eval(code[[3]], scope), scope)
    done <- if (assigns) code[[3]] else code
    if (!defines) assign(sprintf("statement %d", length(scope)), as.function(list(done), envir = scope), scope)
  }
  found <- character()
  for (name in ls(scope, all.names = TRUE)) {
    checked <- get(name, scope)
    if (!is.function(checked)) next
    own <- own_names(formals(checked), body(checked))
    body(checked) <- with_columns(body(checked), setdiff(columns, own))
    codetools::checkUsage(checked, name = name, report = function(message) found <<- c(found, message))
  }
  if (length(found) > 0) paste0(basename(files[1]), ": ", found) else found
}
