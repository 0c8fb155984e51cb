"""What an instructor wants to know about a class: the report, and tables for other systems."""
