"""Input of a core: takes beats, and holds those that need lookahead."""
