"""Commands of notebooks that are no Python: `%matplotlib inline`, `!pip install`, `?np.sum`, `np.sum??`."""

import re

COMMAND = re.compile(r"^(?P<indent>[ \t]*)(?P<command>[%!].*|\?+[\w.]+[ \t]*|[\w.]+\?+[ \t]*)$", re.MULTILINE)
"""A line that is such a command."""
