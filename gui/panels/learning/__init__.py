"""How the network learns: loss, optimizer, batch, stop rules."""
