"""The function `plan`: by schedule, a message for each user with something pending."""

from commonplace.interfaces.aws import nightly_functions

handler = nightly_functions.plan
