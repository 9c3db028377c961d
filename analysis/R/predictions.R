# Prediction of applications from IOR with their parameters, as weir predict does it: the time of the bytes of a phase
# at the bandwidth of the kernel, over the measured time, round by round.

# The kernel of each application, by what the application's tool measures: interface and size of the transfers to a
# shared file. A cell that two experiments request is measured under the first, so that no experiment is named here.
kernels_of_applications <- data.table::data.table(
  purpose = c("application", "format"), kernel_api = c("POSIX", "MPIIO"), kernel_bytes = c(16, 10) * 2^20
)
# What else cells of a kernel may differ in: only one of them is the kernel of an application.
kernel_settings <- c("block_bytes", "segments", "stripe_count")
# What the phases of an out-of-core code do beside plain writes and reads.
kernel_accesses <- c(write = "write", read = "read", "update-write" = "write", "update-read" = "read")
phase_names <- c(
  write = "S, or output", "update-read" = "W, reads", "update-write" = "W, writes", read = "C, or restart"
)

# One row for each target, application and phase: predicted and measured time in seconds, their ratio with a t interval
# over the rounds.
predictions <- function(records) {
  usable <- round_names(records[verdict %in% usable_verdicts])
  known <- usable[suite %in% "nersc-ior" & purpose %in% kernels_of_applications$purpose]
  kernel <- usable[purpose %in% "bandwidth" & layout %in% "shared" & order %in% "sequential" & sync %in% TRUE &
    !is.na(bw_mib_s)]
  pairs <- applications_with_kernels(known, kernel)
  pairs[, predicted_s := moved_bytes / mib / kernel_mib_s]
  times <- pairs[, c(
    list(predicted_s = stats::median(predicted_s), measured_s = stats::median(measured_s)),
    lapply(mean_interval(log(predicted_s / measured_s))[c("mean", "lo", "hi")], exp),
    list(n = .N, verdict = point_verdict(TRUE, FALSE, sum(unproven | unproven_kernel)))
  ), by = .(target, stack, emulated, application, nn, ppn, access)]
  name_apart(times)
}

# Each phase in each round beside its kernel, which makes the same kind of calls, as in weir predict.
applications_with_kernels <- function(known, kernel) {
  kernel <- kernel[, .(kernel_mib_s = stats::median(bw_mib_s), unproven_kernel = any(verdict == "UNPROVEN")),
    by = .(target, stack, nn, ppn, round, kernel_api = api, kernel_bytes = as.numeric(xfer_bytes),
      kernel_access = access, collective = collective %in% TRUE, block_bytes, segments, stripe_count)]
  known[, tasks := tasks_of(known)]
  known <- known[, .(tasks = tasks[1],
    measured_s = stats::median(ifelse(is.na(total_s), io_s, total_s)), moved_bytes = stats::median(moved_bytes),
    unproven = any(verdict == "UNPROVEN"), collective = any(collective %in% TRUE), stripes = the_only(stripe_count)
  ), by = .(target, stack, emulated, application = experiment, purpose, nn, ppn, access, round)]
  known[, kernel_access := kernel_accesses[access]]
  known <- kernels_of_applications[known, on = "purpose"]
  pairs <- merge(known, kernel, allow.cartesian = TRUE,
    by = c("target", "stack", "nn", "ppn", "round", "kernel_api", "kernel_bytes", "kernel_access", "collective"))
  nearest_kernels(pairs[measured_s > 0 & kernel_mib_s > 0])
}

# The kernel for each phase with its number of stripes and the nearest size of file, in all rounds the same.
nearest_kernels <- function(pairs) {
  by <- c("target", "stack", "application", "nn", "ppn", "access")
  held_bytes <- pairs$block_bytes * data.table::fcoalesce(as.numeric(pairs$segments), 1)
  pairs[, `:=`(
    other_stripes = !mapply(identical, stripe_count, stripes), far = abs(log2(held_bytes * tasks / moved_bytes))
  )]
  kernels <- pairs[, .(other_stripes = mean(other_stripes), far = stats::median(far), rounds = .N),
    by = c(by, kernel_settings)]
  chosen <- kernels[order(other_stripes, far, -rounds), .SD[1], by = by]
  pairs[chosen[, c(by, kernel_settings), with = FALSE], on = c(by, kernel_settings)]
}

prediction_answer <- function(records, inputs) {
  found <- predictions(records)
  only_if(nrow(found) > 0)
  real <- real_storage(found)[order(abs(log(mean)))]
  # Rounded up: no phase is outside of the factor.
  within <- function(ratios) ceiling(round(100 * exp(max(abs(log(ratios)))), 6)) / 100
  words <- real[, sprintf("%s within a factor of %.2f", latex_name(application), within(mean)), by = application]$V1
  worst <- real[.N]
  sprintf(
    paste(
      "IOR with the parameters of an application predicts the time of each phase: %s. Worst is %s (%s) on %s: %s of",
      "the measured time."
    ),
    and_list(words), latex_name(worst$application), latex_name(phase_names[[worst$access]]),
    latex_name(mark_name(worst$target, worst$emulated)),
    percent_words(worst$mean)
  )
}
