"""What a person reads, in its smallest parts: numbers, durations and plurals as words, pictures as SVG text.

Imports nothing of ours but `islands.errors`.
"""
