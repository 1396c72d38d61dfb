"""The function `plan`: by schedule, a message for each user with something pending."""

from commonplace.invocation import nights

handler = nights.plan
