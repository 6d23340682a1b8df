"""The API page: one HTML file that needs nothing but itself, made of the OpenAPI document."""
