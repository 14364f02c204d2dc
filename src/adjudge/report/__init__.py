"""Reports: tables, figures, HTML pages and files for other programs."""
