"""The same tasks on a Ray cluster, or on a Ray that is started here for the purpose.

Every node needs this checkout and its environment. Workers share no folder with the driver: they send back results and
networks, and the driver writes them. A task that was cut off starts again from its beginning.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import Any

from agents.benchmark.execute import execute
from agents.benchmark.local import ONE_THREAD, Done
from agents.benchmark.tasks import Outcome, Task
from yatzy_env.errors import YatzyError, folded

LOCAL = "local"
"""The address that starts a Ray here."""


def check_ray() -> None:
    """Checks that Ray is there before anything else begins.

    Raises:
        YatzyError: if it is not installed.
    """
    try:
        import ray  # noqa: F401
    except ImportError as error:
        raise YatzyError(
            "--ray needs Ray: python -m pip install --constraint constraints.txt --group cluster"
        ) from error


def run_on_ray(tasks: Sequence[Task], workers: int, address: str, done: Done) -> dict[Task, str]:
    """Does tasks as Ray tasks of one processor each.

    Args:
        tasks: the tasks.
        workers: how many at a time on a Ray started here; a cluster decides for itself.
        address: of the cluster, or `LOCAL`.
        done: called with every outcome as it arrives.

    Returns:
        What went wrong, in one line, by task.

    Raises:
        YatzyError: if there is no Ray, or no cluster at the address.
    """
    check_ray()
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    where: dict[str, Any] = {"address": address}
    if address == LOCAL:
        where |= {"num_cpus": workers, "include_dashboard": False}
    try:
        ray.init(**where, log_to_driver=False, logging_level=logging.ERROR, runtime_env={"env_vars": ONE_THREAD})
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise YatzyError(f"--ray {address}: {folded(error)}") from error
    failed: dict[Task, str] = {}
    try:
        remote = ray.remote(num_cpus=1, max_retries=2)(execute)
        waiting = {remote.remote(task): task for task in tasks}
        while waiting:
            for reference in ray.wait(list(waiting))[0]:
                task = waiting.pop(reference)
                try:
                    outcome: Outcome = ray.get(reference)
                except ray.exceptions.RayError as error:
                    failed[task] = str(error).strip().splitlines()[-1]
                else:
                    done(task, outcome)
    finally:
        ray.shutdown()
    return failed
