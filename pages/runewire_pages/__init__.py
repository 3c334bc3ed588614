"""The generated parts of the pages: tables and pictures, made from the cores and from records of measurements."""
