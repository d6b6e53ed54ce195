"""`torch.utils`: the part for batches of data."""

from . import data as data
