"""What the tools do: a file per family. They see ports only; `dispatch` is how every way in calls them."""
