"""The function `maintenance`: its tools over every way in."""

from commonplace.interfaces.aws.handler import handler_of

handler = handler_of("maintenance")
