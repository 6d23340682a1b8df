"""The wire: what every call passes, the services, conversion, and the fronts that carry them."""
