"""The page for people (`commonplace ui`), which shows a `Commonplace` as HTML under `/ui` of the local server.

A view is a module with functions that turn a `Visit` into a response. Its `ROUTES` list the paths. `page.py` lists the views.
"""
