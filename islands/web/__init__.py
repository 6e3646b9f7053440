"""The live page: `islands web` lists runs, shows them while they go on, and starts, stops and resumes them.

It reads run directories and starts other processes of the product; no run lives in its own process. It may import
everything below: the panels of `pages`, the options of `terminal`. Starlette and uvicorn, of the extra `web`, are
imported here alone.
"""
