"""An index in an OpenSearch domain, version 2.19 or newer, with k-NN and neural-search."""
