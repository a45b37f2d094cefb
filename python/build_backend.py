"""The build of the package: the program ``ploy`` by cargo, then the module and the wheel by maturin.

Maturin puts either a module or programs into a wheel. So the program is built first and copied to the
folder whose content pip installs as scripts. Both builds share their libraries: the module depends on
the crate of the command line, and therefore has the same features of all other crates.

``PLOY_PROFILE`` names the cargo profile (``release`` if it is not set). ``PLOY_PROGRAM`` names a program
that is built already, which then is not built here.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from typing import Any

import maturin

HERE = pathlib.Path(__file__).resolve().parent
PROFILE = os.environ.get("PLOY_PROFILE", "release")
SCRIPTS = HERE / "ployglot.data" / "scripts"
# Maturin wants the folder also where it only writes the metadata.
SCRIPTS.mkdir(parents=True, exist_ok=True)


def _program() -> pathlib.Path:
    """The program: the given one, or the one that cargo builds."""
    if given := os.environ.get("PLOY_PROGRAM"):
        return pathlib.Path(given)
    command = ["cargo", "build", "--locked", "--profile", PROFILE, "--bin", "ploy"]
    command += ["--manifest-path", str(HERE.parent / "Cargo.toml"), "-p", "ployglot-app", "-p", "ployglot-python"]
    command += ["--message-format", "json-render-diagnostics"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "ploy":
            return pathlib.Path(message["executable"])
    raise RuntimeError("cargo has not named the program that it built")


def _prepare() -> None:
    shutil.copy2(_program(), SCRIPTS / "ploy")
    os.environ.setdefault("MATURIN_PEP517_ARGS", f"--locked --profile {PROFILE}")


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    _prepare()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    _prepare()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


build_sdist = maturin.build_sdist
get_requires_for_build_wheel = maturin.get_requires_for_build_wheel
get_requires_for_build_editable = maturin.get_requires_for_build_editable
get_requires_for_build_sdist = maturin.get_requires_for_build_sdist
prepare_metadata_for_build_wheel = maturin.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = maturin.prepare_metadata_for_build_editable
