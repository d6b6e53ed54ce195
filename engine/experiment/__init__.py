"""Experiments: data, features, network and settings of a training, and the rules by which they fit together."""
