"""Pictures of code points and their bytes, as SVG and in a terminal."""
