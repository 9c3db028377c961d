"""What a batch system is requested, and what it gives; no submission of jobs is done here."""
