"""An index in an OpenSearch domain. The domain needs version 2.19 or newer, with k-NN and neural-search."""
