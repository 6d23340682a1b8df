"""The wire: what every call passes, the services, conversion, and the fronts that carry them.

Take what you need from its modules: `pipeline`, `methods`, `services`, `limits`, `metrics`, `log`, `grpc`.
"""
