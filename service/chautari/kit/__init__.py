"""Rules that games share: pure functions over cards and what the engine lets a rule read. It knows no game."""
