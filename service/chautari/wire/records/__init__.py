"""Records as files: reading and writing them, playing them again, and saying what does not hold."""
