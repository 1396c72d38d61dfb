"""The function `setup`: the index made at a deploy."""

from commonplace.interfaces.aws import index_functions

handler = index_functions.setup
