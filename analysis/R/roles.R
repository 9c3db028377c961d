# What a target is to a claim. Sites name their targets as they like; facts.json has the kind of each.

roles_of_kinds <- c(
  "burst-buffer" = "native", "burst-buffer-fuse" = "fuse", pool = "pool", memory = "memory", disk = "file system",
  parallel = "file system", network = "file system"
)

# The kind of each target by its name.
kinds_of_targets <- function(facts) {
  kinds <- vapply(facts$targets, function(target) text_of(target$kind), character(1))
  names(kinds) <- vapply(facts$targets, function(target) text_of(target$target), character(1))
  kinds
}

targets_of_kind <- function(facts, wanted) {
  kinds <- kinds_of_targets(facts)
  names(kinds)[kinds %in% wanted]
}

# Archived records say no kind: whoever used a burst buffer's own interface reached a burst buffer.
add_roles <- function(records, facts = NULL) {
  kinds <- kinds_of_targets(facts)
  records <- data.table::copy(records)
  found <- unname(roles_of_kinds[kinds[records$target]])
  records[, role := ifelse(api == "IME", "native", ifelse(is.na(found), "file system", found))]
  backing <- file_system_behind(records)
  records[role == "file system" & !target %in% backing, role := "other file system"][]
}

# Beside an emulated burst buffer the file system behind it is marked emulated too; a plain disk of the same
# machine must not be taken for it.
file_system_behind <- function(records) {
  systems <- unique(records[role == "file system", .(target, emulated)])
  buffers <- unique(records[role %in% c("native", "fuse"), emulated])
  like_buffers <- systems[emulated %in% buffers]
  if (nrow(like_buffers) > 0) like_buffers$target else systems$target
}
