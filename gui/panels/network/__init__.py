"""The drawn network and its settings."""
