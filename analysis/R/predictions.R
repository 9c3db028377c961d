# Prediction of applications from IOR with their parameters, as weir predict does it: the time of the bytes of a phase
# at the bandwidth of the kernel, over the measured time, round by round.

# The kernel of each application, by what the application's tool measures: interface and size of the transfers to a
# shared file. A cell that two experiments request is measured under the first, so that no experiment is named here.
kernels_of_applications <- data.table::data.table(
  purpose = c("application", "format"), kernel_api = c("POSIX", "MPIIO"), kernel_bytes = c(16, 10) * 2^20
)
# What the phases of an out-of-core code do beside plain writes and reads.
kernel_accesses <- c(write = "write", read = "read", "update-write" = "write", "update-read" = "read")
phase_names <- c(
  write = "S, or output", "update-read" = "W, reads", "update-write" = "W, writes", read = "C, or restart"
)

# One row for each target, application and phase: predicted and measured time in seconds, their ratio with a t interval
# over the rounds.
predictions <- function(records) {
  usable <- records[verdict %in% usable_verdicts]
  if (nrow(usable) == 0) {
    return(data.table::data.table())
  }
  usable <- round_names(usable)
  known <- usable[suite %in% "nersc-ior" & purpose %in% kernels_of_applications$purpose]
  kernel <- usable[purpose %in% "bandwidth" & layout %in% "shared" & order %in% "sequential" & sync %in% TRUE &
    !is.na(bw_mib_s)]
  if (nrow(known) == 0 || nrow(kernel) == 0) {
    return(data.table::data.table())
  }
  kernel <- kernel[, .(kernel_mib_s = stats::median(bw_mib_s), unproven_kernel = any(verdict == "UNPROVEN")),
    by = .(target, nn, ppn, round, kernel_api = api, kernel_bytes = as.numeric(xfer_bytes), kernel_access = access)]
  known <- known[, .(
    measured_s = stats::median(ifelse(is.na(total_s), io_s, total_s)), moved_bytes = stats::median(moved_bytes),
    unproven = any(verdict == "UNPROVEN")
  ), by = .(target, emulated, application = experiment, purpose, nn, ppn, access, round)]
  known[, kernel_access := kernel_accesses[access]]
  known <- kernels_of_applications[known, on = "purpose"]
  pairs <- merge(known, kernel, by = c("target", "nn", "ppn", "round", "kernel_api", "kernel_bytes", "kernel_access"))
  pairs <- pairs[measured_s > 0 & kernel_mib_s > 0]
  if (nrow(pairs) == 0) {
    return(data.table::data.table())
  }
  pairs[, predicted_s := moved_bytes / mib / kernel_mib_s]
  pairs[, c(
    list(predicted_s = stats::median(predicted_s), measured_s = stats::median(measured_s)),
    lapply(mean_interval(log(predicted_s / measured_s))[c("mean", "lo", "hi")], exp),
    list(n = .N, verdict = point_verdict(TRUE, FALSE, sum(unproven | unproven_kernel)))
  ), by = .(target, emulated, application, nn, ppn, access)]
}

prediction_answer <- function(records, inputs) {
  found <- predictions(records)
  if (nrow(found) == 0) {
    return("")
  }
  real <- if (any(!found$emulated)) found[emulated == FALSE] else found
  real <- real[order(abs(log(mean)))]
  words <- real[, sprintf("%s within a factor of %.1f", latex_name(application), exp(max(abs(log(mean))))),
    by = application]$V1
  worst <- real[.N]
  sprintf(
    paste(
      "IOR with the parameters of an application predicts the time of each phase: %s. Worst is %s (%s) on %s: %s of",
      "the measured time."
    ),
    and_list(words), latex_name(worst$application), latex_name(phase_names[[worst$access]]), latex_name(worst$target),
    percent_words(worst$mean)
  )
}
