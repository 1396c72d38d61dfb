"""The function `night`: the days of one user read."""

from commonplace.interfaces.aws import nights

handler = nights.night
