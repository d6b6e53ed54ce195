"""The fast program: the scalar graph of one sample, turned into numpy calls over all samples (../DESIGN.md)."""
