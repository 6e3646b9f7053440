"""How candidates are represented and bred: the spaces, the batch operators over them, and the Recipe that puts
operators together as data.

May import kernels. It lies below the model because a Problem offers default recipes, which are made from these parts.
"""
