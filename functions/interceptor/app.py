"""A sample: the request interceptor of an AgentCore gateway that has Commonplace's functions as targets."""

from commonplace.interfaces.aws.identity import intercept

handler = intercept
