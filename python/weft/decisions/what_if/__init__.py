"""A change of a network, predicted before it is made, and verified in labs."""
