"""The function `reconcile`: by schedule, what the stream has missed."""

from commonplace.interfaces.aws import upkeep

handler = upkeep.reconcile
