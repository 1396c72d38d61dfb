"""The function `reconcile`: by schedule, what the stream has missed."""

from commonplace.invocation import upkeep

handler = upkeep.reconcile
