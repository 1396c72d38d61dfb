"""What mem0, LangGraph and basic-memory write themselves: `elsewhere/made`, made anew by the modules here.

Each runs in an environment of its own, with what the file of requirements beside it pins; none of it is installed for the
tests, which read the files:

    python -m venv mem0 && mem0/bin/pip install -r tests/integration/written_elsewhere/mem0.txt
    mem0/bin/python -m tests.integration.written_elsewhere.mem0_files

Nothing is asked of a network: vectors, clocks and ids are scripted, so that the same files come out each time.
"""
