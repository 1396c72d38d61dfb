"""The function `night`: the days of one user read."""

from commonplace.invocation import nights

handler = nights.night
