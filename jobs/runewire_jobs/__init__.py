"""Work outside this process, and its results on disk: subprocesses, pools, clusters, fingerprints, caches, files.

Needs the standard library alone; a cluster also needs Dask.
"""
