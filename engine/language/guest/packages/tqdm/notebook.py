"""`tqdm.notebook`: the names of `tqdm`."""

from tqdm import tqdm as tqdm
from tqdm import trange as trange
