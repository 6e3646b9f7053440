"""A run as a person at a terminal sees it: options, commands, live and plain views, endings, show and export.

May import everything else in islands/; nothing in islands/ imports it.
"""
