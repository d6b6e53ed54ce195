"""What a network is trained on and with: data, features, settings, and the rules by which they fit together."""
