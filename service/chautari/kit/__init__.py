"""Rules that games share, as pure functions over cards and the engine's value types."""
