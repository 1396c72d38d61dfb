"""The function `record`: what days leave behind, and what is done about the runs that read them."""

from commonplace.interfaces.aws.handler import handler_of

handler = handler_of("record")
