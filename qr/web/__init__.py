"""The dashboard, its API and its live feed."""
