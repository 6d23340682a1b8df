"""Chautari: a service for card games. ARCHITECTURE.md says which room holds what."""
