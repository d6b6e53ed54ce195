"""Pictures of a plane: the decision boundary, what a hidden layer makes of it, the loss around the weights."""
