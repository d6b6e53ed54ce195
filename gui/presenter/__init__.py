"""What one canvas shows: graph, places, numbers, walk. It knows no session."""
