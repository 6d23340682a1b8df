"""The call pipeline, one file per service, the conversions, and the fronts."""
