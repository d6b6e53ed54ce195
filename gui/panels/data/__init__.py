"""Panel for choosing the data of the network and its inputs."""
