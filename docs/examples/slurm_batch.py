"""A data set on a SLURM cluster: python slurm_batch.py recordings --model pig -o results --resume

Run it where `sbatch` works, in a folder that all nodes share; `pip install 'gaitid[distributed]' dask-jobqueue`.
The workers are SLURM jobs that come and go; what this script is given goes to `gaitid batch` as it is.
"""

import subprocess
import sys

from dask.distributed import Client
from dask_jobqueue import SLURMCluster

JOBS = 8


def main() -> int:
    cluster = SLURMCluster(
        queue="normal",
        walltime="02:00:00",
        # one job: four workers of one thread, each with a process for its trials beside it
        cores=4,
        processes=4,
        memory="16GB",
        # a worker ends by itself before SLURM ends it: its trial goes to another, and nothing counts as lost
        worker_extra_args=["--lifetime", "110m", "--lifetime-stagger", "5m"],
        scheduler_options={"dashboard": False},
    )
    with cluster, Client(cluster) as client:
        cluster.adapt(minimum_jobs=1, maximum_jobs=JOBS)
        client.wait_for_workers(1)  # as long as the queue takes
        return subprocess.call(["gaitid", "batch", *sys.argv[1:], "--scheduler", cluster.scheduler_address])


if __name__ == "__main__":
    sys.exit(main())
