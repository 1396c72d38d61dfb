"""The page for people (`commonplace ui`), under `/ui` of the local server: views over a `Commonplace`, as HTML.

A view is a module: functions from a `Visit` to a response, and its `ROUTES`; `page.py` lists the views.
"""
