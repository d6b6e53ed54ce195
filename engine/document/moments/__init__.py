"""What is seen at one moment of training, made from a document beside the window."""
