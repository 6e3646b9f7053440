"""The compiler's fence: how functions become compiled kernels and where those are cached, and the kernels that
everything else is made of: random numbers, shuffles, 128-bit keys of genomes.

Imports nothing of ours but `islands.errors`. Nobody else talks to numba.
"""
