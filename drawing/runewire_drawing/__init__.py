"""SVG pictures: elements (`svg`), a style for light and dark pages (`style`), axes of charts (`axes`)."""
