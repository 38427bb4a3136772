"""The JSON of the API as types: what the renderers return, and what the OpenAPI document is made of."""
