"""The one kind of error that a person can cure: its text says what to do."""


class UserError(Exception):
    """A mistake of the person at the keyboard, never shown with a traceback."""
