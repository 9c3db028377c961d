"""Run folders, the ledger of what was measured, checksums, signatures and provenance."""
