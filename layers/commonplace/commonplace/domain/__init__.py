"""The domain: the record, what goes into each tool and what comes out, the vocabularies, what can go wrong."""
