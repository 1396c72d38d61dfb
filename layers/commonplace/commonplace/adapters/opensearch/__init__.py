"""Keeps the index in an OpenSearch domain, which needs version 2.19 or newer with k-NN and neural-search."""
