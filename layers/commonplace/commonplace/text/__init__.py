"""What is known of language: redaction, third person, classification, tags, time ranges, paraphrase; no memory, no port."""
