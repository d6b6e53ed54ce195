"""Which data the network learns, and in which form."""
