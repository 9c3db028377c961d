"""What a batch system is asked for, and what it gives; no submission of jobs is done here."""
