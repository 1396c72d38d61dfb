"""The function `setup`: the index made at a deploy."""

from commonplace.interfaces.aws import upkeep

handler = upkeep.setup
