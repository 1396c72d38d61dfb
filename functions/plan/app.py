"""The function `plan`: by schedule, a message for each user with something pending."""

from commonplace.interfaces.aws import nights

handler = nights.plan
