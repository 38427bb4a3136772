"""Views to shapes: pure functions of what the actors hold and of the time."""
