"""OpenAPI 3.1, generated from the descriptors. Take what you need from `image` and `document`."""
