"""The boundary between the product and a puzzle's own code: every call crosses it, whoever makes the call.

The hooks of a puzzle are guarded when its class is created; the functions of its capabilities and recipes, and their
other values, when those are made. Whatever such a function raises, and whatever it returns of a wrong type or shape,
becomes a PuzzleError that names the puzzle, its file and the line. Errors in the user's words (IslandsError) pass as
they are. May import the errors alone.
"""
