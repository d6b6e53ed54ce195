"""Pictures of a plane: the decision boundary, its image in a hidden layer, the loss around the weights."""
