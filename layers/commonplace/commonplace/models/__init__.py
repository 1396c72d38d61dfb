"""The contract: what goes into each tool, what comes out, and the one memory record behind them."""
