"""Panels that answer questions about one value: explanations, what-if experiments, rules, and common mistakes."""
