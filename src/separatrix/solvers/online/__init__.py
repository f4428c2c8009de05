"""Rules that learn row by row: perceptrons, stochastic gradients, least mean squares, Hebb and Oja."""
