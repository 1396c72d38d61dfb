"""The composition root: the only room that knows adapters; each is imported when it is first needed."""
