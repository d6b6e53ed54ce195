"""`tqdm.auto`: the names of `tqdm`."""

from . import tqdm as tqdm
from . import trange as trange
