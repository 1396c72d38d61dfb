"""Models on Amazon Bedrock, called by role."""

from commonplace.adapters.bedrock.titan import TitanEmbedder

__all__ = ["TitanEmbedder"]
