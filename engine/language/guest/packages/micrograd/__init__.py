"""micrograd's modules, on Gradstep's own `Value`."""
