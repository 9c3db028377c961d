"""Pages without R: of a study while it is measured, of logs and sites; a study as one bundle."""
