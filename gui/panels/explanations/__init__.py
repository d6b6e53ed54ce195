"""What answers questions about one value: why, what if, which rule, and what goes wrong with another rule."""
