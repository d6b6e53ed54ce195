"""Help: pages about panels, a guide, pages made from the tables of the program, problems and diagnostics."""
