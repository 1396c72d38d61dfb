"""A sample: the request interceptor of an AgentCore gateway that has Commonplace's functions as targets."""

from commonplace.invocation.interceptor import intercept

handler = intercept
