"""What is said of a program that does not run: the sentence, the place, how it came there, a way out."""
