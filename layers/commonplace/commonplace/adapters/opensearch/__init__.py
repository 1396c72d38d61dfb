"""Keeps the index in an OpenSearch domain, which requires version 2.19 or newer and the plugins k-NN and neural-search."""
