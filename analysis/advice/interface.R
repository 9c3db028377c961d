# What the layers above POSIX cost, where they cost something.
advise <- function(evidence) {
  effects <- effects_that_matter(evidence, "api")[ratio < 0.9]
  only_if(nrow(effects) > 0)
  of_storage <- unname(split(effects, by = c("target", "access", "instead_of"), sorted = FALSE))
  lapply(of_storage, function(of) {
    of <- of[order(ratio)]
    reached <- vapply(seq_len(nrow(of)), function(i) share_words(of[i]), "")
    advice(
      sprintf("%s %s bandwidth for %ss on %s.", and_list(of$setting), if (nrow(of) == 1) "costs" else "cost",
        of$access[1], of$target[1]),
      sprintf("%s %s of %s.", if (nrow(of) == 1) "It reaches" else "They reach", and_list(reached), of$instead_of[1]),
      "Try larger transfers, and the hints of MPI-IO (collective buffering, data sieving).", -log(min(of$ratio)),
      of$difference[1]
    )
  })
}
