"""The providers' usage endpoints and the accounts' credentials, over HTTP."""
