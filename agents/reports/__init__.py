"""Reports for people: pages, tables, plots and model cards."""
