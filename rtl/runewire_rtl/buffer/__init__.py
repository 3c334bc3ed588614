"""Output buffer: rows, credits, and the controllers that read them."""
