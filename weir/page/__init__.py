"""The page without R: of a study while it is measured, and of logs; drawn by the script of report.html."""
