"""Language processing: redaction, third person, classification, tags, time ranges, paraphrase. Uses no port."""
