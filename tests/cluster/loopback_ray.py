"""The command `ray`, with all nodes of a cluster on this machine's loopback interface: python loopback_ray.py start ...

Ray refuses to add a node to a cluster that is on loopback only, and takes the machine's own address otherwise.
"""

from __future__ import annotations

import os

os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # all processes that Ray starts bind to 127.0.0.1

from ray._private import ray_constants, services
from ray.scripts.scripts import main

if __name__ == "__main__":
    assert services.get_node_ip_address() == "127.0.0.1"
    ray_constants.ENABLE_RAY_CLUSTER = True
    services.get_node_ip_address = lambda *_: "127.0.0.1"
    main()
