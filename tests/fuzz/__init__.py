"""Random inputs of every kind against what must hold for all of them: `python -m tests.fuzz`.

A target is a module with three names: `make(chance)` gives a case (text, lists and dicts of text and numbers),
`check(case)` raises when something does not hold and returns what held the window too long, `FIRST` is an ordinary case
that loads what every case needs. `worker` runs cases in a child process and watches time and memory, `campaign` starts
workers, confirms and shrinks what they find and lists what was slow, `test_fuzz` runs a seeded piece of every target in
the suite. `guided` fuzzes the readers of files by coverage.
"""

TARGETS = ("programs", "attacks", "sessions", "tables", "lessons", "readers", "commands", "window")
