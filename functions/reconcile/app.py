"""The function `reconcile`: by schedule, what the stream has missed."""

from commonplace.interfaces.aws import index_functions

handler = index_functions.reconcile
