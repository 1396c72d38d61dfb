"""The page for people (`commonplace ui`), under `/ui` of the local server. The page shows a `Commonplace` as HTML.

A view is a module. Its functions turn a `Visit` into a response, and its `ROUTES` list the paths. `page.py` lists the views.
"""
