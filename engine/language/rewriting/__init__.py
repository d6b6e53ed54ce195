"""What Python has and the sandbox lacks, written in another way before the program runs."""
