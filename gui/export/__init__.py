"""Pictures, animations and texts of the graph as files: what can be exported, where to, in which format."""
