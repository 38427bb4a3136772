"""What an account has left: pure functions from what a provider sent to what is known."""
