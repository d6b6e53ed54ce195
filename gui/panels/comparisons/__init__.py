"""Several runs beside one another."""
