"""Panel for the settings of training: loss, optimizer, batch, stop rules."""
