"""The panel of a lesson: its text, questions, goals and hints, or the list of all lessons."""
