"""The product's specification, example by example: each is a row of a JSON file, run through the real tools."""
