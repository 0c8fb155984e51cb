"""A static site of all lessons, to read without installing. Learners' code never imports it."""
