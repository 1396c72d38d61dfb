"""The cloud in a box: real servers, and the parts that stand in for what only AWS has, on this machine's loopback."""
