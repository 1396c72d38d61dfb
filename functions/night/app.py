"""The function `night`: the days of one user read."""

from commonplace.interfaces.aws import nightly_functions

handler = nightly_functions.night
