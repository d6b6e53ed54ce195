"""The page to start from: a live example, four doors, lessons, examples and published results."""
