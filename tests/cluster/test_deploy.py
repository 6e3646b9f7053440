"""The files in cluster/deploy, as far as they can be checked without a cluster, a container or a cloud."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "cluster" / "deploy"
SCRIPTS = sorted([*DEPLOY.glob("*.sh"), ROOT / ".ci" / "run"])

TEXT, COUNT, YES = {"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "boolean"}


def closed(required: str = "", **properties: Any) -> dict[str, Any]:
    """The schema of an object that has these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def several(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": 1}


# The parts of the schema of KubeRay 1.5 (ray.io_rayjobs.yaml, v1) that the manifest uses. In Kubernetes a field with a
# wrong name is dropped without a word, so that here it is an error.
AMOUNTS = {"type": "object", "additionalProperties": TEXT}
CONTAINER = closed(
    "name image resources",
    name=TEXT,
    image=TEXT,
    env=several(closed("name value", name=TEXT, value=TEXT)),
    ports=several(closed("containerPort", containerPort=COUNT, name={"type": "string", "maxLength": 15})),
    resources=closed("requests limits", requests=AMOUNTS, limits=AMOUNTS),
    volumeMounts=several(closed("name mountPath", name=TEXT, mountPath=TEXT)),
)
TEMPLATE = closed(
    "spec",
    spec=closed(
        "containers",
        terminationGracePeriodSeconds=COUNT,
        securityContext=closed(runAsUser=COUNT, runAsGroup=COUNT, fsGroup=COUNT),
        containers=several(CONTAINER),
        volumes=several(closed("name", name=TEXT, persistentVolumeClaim=closed("claimName", claimName=TEXT))),
    ),
)
RAY_JOB = closed(
    "apiVersion kind metadata spec",
    apiVersion={"const": "ray.io/v1"},
    kind={"const": "RayJob"},
    metadata=closed("name", name={"type": "string", "maxLength": 47}),
    spec=closed(
        "entrypoint rayClusterSpec",
        entrypoint=TEXT,
        metadata={"type": "object", "additionalProperties": TEXT},
        submissionMode={"enum": ["K8sJobMode", "HTTPMode", "InteractiveMode", "SidecarMode"]},
        backoffLimit=COUNT,
        shutdownAfterJobFinishes=YES,
        ttlSecondsAfterFinished=COUNT,
        rayClusterSpec=closed(
            "headGroupSpec",
            rayVersion=TEXT,
            authOptions=closed("mode", mode={"enum": ["token"]}),
            headGroupSpec=closed("template", rayStartParams=AMOUNTS, template=TEMPLATE),
            workerGroupSpecs=several(
                closed(
                    "groupName minReplicas maxReplicas template",
                    groupName=TEXT,
                    replicas=COUNT,
                    minReplicas=COUNT,
                    maxReplicas=COUNT,
                    rayStartParams=AMOUNTS,
                    template=TEMPLATE,
                )
            ),
        ),
    ),
)


def tool(name: str) -> str:
    """A program that pip has installed, from the extra `dev`."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert found is not None, f"{name} is missing: pip install -e '.[dev]'"
    return found


def manifest() -> tuple[dict[str, Any], dict[str, Any]]:
    """The volume and the job for KubeRay."""
    volume, job = yaml.safe_load_all((DEPLOY / "kuberay-rayjob.yaml").read_text())
    return volume, job


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_shellcheck_has_nothing_to_say(script: Path) -> None:
    done = subprocess.run([tool("shellcheck"), str(script)], capture_output=True, text=True)
    assert done.stdout == ""
    assert done.returncode == 0
    assert os.access(script, os.X_OK)


def test_hadolint_has_nothing_to_say() -> None:
    done = subprocess.run([tool("hadolint"), str(DEPLOY / "Containerfile")], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("", 0)


def test_what_the_container_copies_exists() -> None:
    lines = (DEPLOY / "Containerfile").read_text().splitlines()
    copied = [line.split()[-2] for line in lines if line.startswith("COPY") and "--from" not in line]
    assert all((ROOT / name).exists() for name in copied)
    assert "cluster/deploy/run-or-resume.sh" in copied


def test_all_name_the_ray_that_is_installed() -> None:
    """A driver and a cluster with two releases of Ray do not find together."""
    ray, python = version("ray"), "py311"
    bases = re.findall(r"^FROM (\S+)", (DEPLOY / "Containerfile").read_text(), re.M)
    assert set(bases) == {f"rayproject/ray:{ray}-{python}"}
    assert manifest()[1]["spec"]["rayClusterSpec"]["rayVersion"] == ray
    assert f"'ray[default]=={ray}'" in (DEPLOY / "ray-up.yaml").read_text()


def test_the_manifest_of_kuberay_has_only_fields_that_kuberay_knows() -> None:
    _, job = manifest()
    jsonschema.validate(job, RAY_JOB)
    _, out, name, *_ = job["spec"]["entrypoint"].split()
    assert job["spec"]["metadata"]["path"] == f"{out}/{name}"  # where `islands collect` looks for it
    job["spec"]["rayClusterSpec"]["authOption"] = {"mode": "token"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(job, RAY_JOB)


def test_its_parts_fit_together() -> None:
    volume, job = manifest()
    cluster = job["spec"]["rayClusterSpec"]
    head, (workers,) = cluster["headGroupSpec"]["template"]["spec"], cluster["workerGroupSpecs"]
    (claim,) = [part["persistentVolumeClaim"]["claimName"] for part in head["volumes"]]
    assert claim == volume["metadata"]["name"]
    (mount,) = head["containers"][0]["volumeMounts"]
    words = job["spec"]["entrypoint"].split()
    assert words[:2] == ["run-or-resume.sh", mount["mountPath"]]
    (worker,) = workers["template"]["spec"]["containers"]
    cpus = workers["replicas"] * int(worker["resources"]["requests"]["cpu"])
    assert words[words.index("--islands") + 1] == str(cpus)
    assert worker["image"] == head["containers"][0]["image"]
    assert workers["minReplicas"] == workers["replicas"] == workers["maxReplicas"]


def test_ray_itself_accepts_the_file_for_ray_up() -> None:
    import ray

    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text())
    config = yaml.safe_load((DEPLOY / "ray-up.yaml").read_text())
    jsonschema.validate(config, schema)
    assert config["head_node_type"] in config["available_node_types"]
    assert config["available_node_types"]["worker"]["max_workers"] <= config["max_workers"]
    assert (DEPLOY / config["file_mounts"]["~/run-or-resume.sh"]).exists()


def test_every_head_has_its_dashboard_on_loopback_or_none_and_every_node_a_token() -> None:
    for name in ("head.sh", "ray-up.yaml", "slurm.sh"):
        text = (DEPLOY / name).read_text()
        assert "RAY_AUTH_MODE=token" in text
        assert "--dashboard-host=127.0.0.1" in text or "--include-dashboard=false" in text
    assert "RAY_AUTH_MODE=token" in (DEPLOY / "worker.sh").read_text()
    assert manifest()[1]["spec"]["rayClusterSpec"]["authOptions"] == {"mode": "token"}


@pytest.fixture
def ray_words(tmp_path: Path) -> Path:
    """A folder with a `ray` that tells how it was called."""
    fake = tmp_path / "bin" / "ray"
    fake.parent.mkdir()
    token = '[ "$1" = get-auth-token ] && mkdir -p "$HOME/.ray" && echo t > "$HOME/.ray/auth_token"'
    fake.write_text(f'#!/bin/sh\n{token}\necho "$RAY_AUTH_MODE: $*"\n')
    fake.chmod(0o755)
    return fake.parent


def called(script: str, folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder.parent), **environment}
    return subprocess.run([str(DEPLOY / script), *words], env=variables, capture_output=True, text=True)


def test_the_head_takes_a_port_and_options_and_makes_a_private_token_once(ray_words: Path) -> None:
    usual = "token: start --head --port={} --include-dashboard=true --dashboard-host=127.0.0.1"
    assert called("head.sh", ray_words).stdout == usual.format(6379) + "\n"
    token = ray_words.parent / ".ray" / "auth_token"
    assert token.stat().st_mode & 0o777 == 0o600
    token.write_text("mine")
    assert called("head.sh", ray_words, "7000", "--num-cpus=0").stdout == usual.format(7000) + " --num-cpus=0\n"
    assert called("head.sh", ray_words, "--num-cpus=0").stdout == usual.format(6379) + " --num-cpus=0\n"
    assert token.read_text() == "mine"
    refused = called("head.sh", ray_words, "10.0.0.7:6379")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "10.0.0.7:6379 is not a port" in refused.stderr


def test_a_worker_without_the_token_of_the_head_is_refused(ray_words: Path) -> None:
    refused = called("worker.sh", ray_words, "10.0.0.7:6379")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "auth_token" in refused.stderr
    (ray_words.parent / ".ray").mkdir()
    (ray_words.parent / ".ray" / "auth_token").write_text("t")
    assert called("worker.sh", ray_words, "10.0.0.7:6379").stdout == "token: start --address=10.0.0.7:6379\n"
    assert called("worker.sh", ray_words).returncode == 2


def test_the_same_command_begins_a_run_and_goes_on_with_it(tmp_path: Path) -> None:
    fake = tmp_path / "bin" / "islands"
    fake.parent.mkdir()
    fake.write_text('#!/bin/sh\necho "$*"\nexit 7\n')
    fake.chmod(0o755)
    words = (str(tmp_path), "mine", "magic-square", "--size", "4")
    first = called("run-or-resume.sh", fake.parent, *words)
    assert first.stdout == f"run magic-square --out {tmp_path} --name mine --address auto --size 4\n"
    assert first.returncode == 7
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "job.json").write_text("{}")
    again = called("run-or-resume.sh", fake.parent, *words, ISLANDS_ADDRESS="10.0.0.7:6379")
    assert again.stdout == f"resume {tmp_path / 'mine'} --address 10.0.0.7:6379\n"
    assert called("run-or-resume.sh", fake.parent, str(tmp_path)).returncode == 2


def test_a_run_in_object_storage_is_gone_on_with(tmp_path: Path) -> None:
    fake = tmp_path / "bin" / "islands"
    fake.parent.mkdir()
    fake.write_text(
        '#!/bin/sh\necho "$*"\ncase "$*" in "show s3://b/there/mine?a=1 --summary") exit 0 ;; esac\nexit 7\n'
    )
    fake.chmod(0o755)
    new = called("run-or-resume.sh", fake.parent, "s3://b/new", "mine", "sudoku")
    assert new.stdout == "run sudoku --out s3://b/new --name mine --address auto\n"
    again = called("run-or-resume.sh", fake.parent, "s3://b/there?a=1", "mine", "sudoku")
    assert again.stdout == "resume s3://b/there/mine?a=1 --address auto\n"
