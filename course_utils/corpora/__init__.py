"""The texts that the lessons learn from. Everything works offline."""
