# The Content-Security-Policy of a page, as weir/report/page.py has it: a page requests nothing, and runs the
# scripts that the analysis wrote into it. Names and texts of a study come from external files.

# Styles are not restricted: those of SVG figures are attributes, which have no hashes, and tables have their own.
content_policy <- function(script = NULL) {
  sources <- if (is.null(script)) "'none'" else script_source(script)
  paste0("default-src 'none'; script-src ", sources, "; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; ",
    "form-action 'none'")
}

policy_element <- function(script = NULL) {
  sprintf("<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">", content_policy(script))
}

# What stands between the first tags of a script.
inline_script <- function(page) {
  after <- strsplit(page, "<script>", fixed = TRUE)[[1]][2]
  strsplit(after, "</script>", fixed = TRUE)[[1]][1]
}

# A machine without a program for checksums has pages whose scripts are not told apart; they request nothing either.
script_source <- function(script) {
  hex <- remembered(sha256_hex, script, telling = rlang::hash(script))
  if (is.na(hex)) {
    return("'unsafe-inline'")
  }
  bytes <- as.raw(strtoi(substring(hex, seq(1, 63, 2), seq(2, 64, 2)), 16L))
  sprintf("'sha256-%s'", jsonlite::base64_enc(bytes))
}

# R has no SHA-256 before 4.5; every Linux has sha256sum, macOS and BSD have shasum.
sha256_hex <- function(text) {
  file <- tempfile()
  on.exit(unlink(file))
  writeBin(charToRaw(enc2utf8(text)), file)
  for (command in list("sha256sum", c("shasum", "-a", "256"))) {
    if (nzchar(Sys.which(command[1]))) {
      printed <- system2(command[1], c(command[-1], shQuote(file)), stdout = TRUE)
      return(substr(printed[1], 1, 64))
    }
  }
  NA_character_
}
