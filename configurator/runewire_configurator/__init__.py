"""A static page in which a core is chosen, tried and generated, all in the browser.

`form` lists the options of the command. `view` is everything that the page shows for a choice. `session` answers the
page inside Pyodide. `site` writes the page's files, and `server` serves them on this machine.
"""
