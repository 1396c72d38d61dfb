"""Write records to the index, rebuild the index from the records, and compare both."""
