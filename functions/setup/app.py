"""The function `setup`: the index made at a deploy."""

from commonplace.invocation import upkeep

handler = upkeep.setup
