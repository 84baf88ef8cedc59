"""Every option of a run with its default, what is allowed, and what it means.

It costs nothing to import, so that help texts need no pydantic; `model` gives the types.
"""

from dataclasses import dataclass

TARGET_KINDS = {
    "image": "a container of this image, for example image:acme/memory:1.2",
    "build": "a container of an image that is built from `build.context`; no rest is needed",
    "container": "a container that already runs, for example container:memory-1",
    "url": "a service that already runs, for example url:http://127.0.0.1:8080",
    "process": "a command of this machine, for example process:python service.py; PORT in its "
    "environment tells it where to listen",
    "python": "a Python adapter, for example python:acme.memory:Adapter",
    "embedded": "the built-in reference service; the rest names a defect, embedded alone has none",
}

DEFAULT_CAPABILITIES = (
    *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"),
    *("NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
)
"""What Docker gives a container by itself; the gate drops them all, and gives none beyond them."""

DOCKER_DEFAULT = "docker-default"
"""What stands for all of them."""
_CAPABILITIES = f"{DOCKER_DEFAULT} for all of these, or a list of {', '.join(DEFAULT_CAPABILITIES)}"


@dataclass(frozen=True)
class Option:
    """An option as a user meets it; `default` is what holds where nothing is said."""

    default: object
    allowed: str
    meaning: str


OPTIONS: dict[str, Option] = {
    "target": Option(
        None,
        "a text kind:rest; kinds: " + ", ".join(TARGET_KINDS),
        "What is tested. There is no default, so that nothing is tested by accident.",
    ),
    "build": Option(
        None,
        "a map with context and dockerfile",
        "Build the target's image. Alone, it is the target; with `target`, that must be `build`.",
    ),
    "build.context": Option(
        ".",
        "a folder, relative to the folder of the settings file",
        "What the image is built from; sent to the engine, never mounted.",
    ),
    "build.dockerfile": Option(
        "Dockerfile", "a file inside the context", "The Dockerfile, relative to the context."
    ),
    "port": Option(8080, "a whole number from 1 to 65535", "The port that the service listens on."),
    "env": Option(
        {},
        "a map of names to texts (quote numbers and booleans)",
        "Environment of the target; it gets nothing else of the gate's environment.",
    ),
    "secrets": Option(
        [],
        "a list of names of environment variables that are set",
        "Variables of the gate that are handed to the target; their values show up nowhere.",
    ),
    "health_path": Option(
        "/health", "a path that begins with one /", "Answers 200 once the service is ready."
    ),
    "ready_timeout": Option(
        60.0, "seconds, from 0.1 to 3600", "How long the service may take to become ready."
    ),
    "stop_grace": Option(
        10.0, "seconds, from 0 to 300", "How long the service has to end before it is killed."
    ),
    "egress": Option(
        "none", "none or bridge", "Whether the target's network leads outside (`bridge`)."
    ),
    "volumes": Option(
        {},
        "a map of plain names (never paths) to absolute paths in the container",
        "Named volumes of the run's own, kept over a restart and removed at the end.",
    ),
    "tmpfs": Option(
        {},
        "a map of absolute paths to options: size=, mode=, uid=, gid=, exec, noexec, rw, ro, "
        "nosuid, nodev",
        "Folders in the target's memory.",
    ),
    "user": Option(
        None,
        "a text (quote numbers): name or number, with :group if need be",
        "User in the container.",
    ),
    "command": Option(None, "a list of texts", "Command in place of the image's own."),
    "memory": Option(
        "512m", "a number of bytes, or one with k, m or g; at least 6m", "Limit of its memory."
    ),
    "cpus": Option(1.0, "a number from 0.05 to 64", "Limit of its processors."),
    "pids": Option(256, "a whole number from 1 to 32768", "Limit of its processes and threads."),
    "read_only": Option(False, "true or false", "Whether its file system is read-only."),
    "capabilities": Option(
        [],
        _CAPABILITIES,
        "Linux capabilities that the target keeps; all others are dropped.",
    ),
    "services": Option(
        {},
        "a map of at most 10 names (lower-case letters, digits, - and _) to maps",
        "Sidecars of an image: or build: target: containers that are started before it, in this "
        "order, on the same network, and reached by their names. See [Sidecars](sidecars.md).",
    ),
    "services.NAME.image": Option(
        None, "the name of an image", "Image of the sidecar; without one it runs the target's own."
    ),
    "services.NAME.env": Option(
        {}, "a map of names to texts (quote numbers and booleans)", "Environment of the sidecar."
    ),
    "services.NAME.secrets": Option(
        [],
        "a list of names of environment variables that are set",
        "Variables of the gate that are handed to the sidecar; their values show up nowhere.",
    ),
    "services.NAME.command": Option(
        None, "a list of texts", "Command in place of the image's own."
    ),
    "services.NAME.options": Option(
        "",
        "--health-cmd, --health-interval, --health-timeout, --health-retries and "
        "--health-start-period, each with a value, in one text",
        "When the sidecar is ready; without it, the check of its image counts, if it has one.",
    ),
    "services.NAME.volumes": Option(
        [],
        "a list of texts NAME:PATH; never a path of the machine",
        "Volumes of the sidecar's own; removed at the end.",
    ),
    "services.NAME.memory": Option(
        "512m", "a number of bytes, or one with k, m or g; at least 6m", "Limit of its memory."
    ),
    "services.NAME.capabilities": Option(
        [], _CAPABILITIES, "Linux capabilities that the sidecar keeps; all others are dropped."
    ),
    "service": Option(
        None,
        "a map with kind: contract, rest or mcp, and for rest and mcp the keys of the mapping",
        "The API that the service speaks; without it, the contract.",
    ),
    "model": Option(
        None,
        "a map; {} takes the defaults",
        "Run the model stand-in, and lead the service to it: its model calls get answers that are "
        "always the same, and can be held.",
    ),
    "model.env": Option(
        {"OPENAI_BASE_URL": "{url}/v1", "OPENAI_API_KEY": "memtru-stand-in"},
        "a map of names to texts, one at least with {url}, which becomes http://ADDRESS:PORT",
        "Variables that lead the target to the model stand-in.",
    ),
    "model.dimensions": Option(
        1536, "a whole number from 1 to 4096", "Length of the vectors, where none is asked for."
    ),
    "model.port": Option(
        None,
        "a whole number from 1 to 65535",
        "Port of the model stand-in; any free one without it. A url: target needs it.",
    ),
    "hold": Option(
        None,
        "a map with by, sidecar and port",
        "What holds a write in flight. Without it, the hook of a service with the contract; for "
        "others, the strongest that can be had: model, store, worker, wire.",
    ),
    "hold.by": Option(
        None,
        "service, model, store, worker or wire",
        "The service's own hook, the model stand-in, a proxy before a store, the pausing of a "
        "worker, or the last bytes of the request.",
    ),
    "hold.sidecar": Option(
        None, "the name of one of `services`", "The store before which a write is held, or worker."
    ),
    "hold.port": Option(None, "a whole number from 1 to 65535", "The port of the store."),
    "update_never_creates": Option(
        False,
        "true or false",
        "Declares that an update of an id that is not there is not meant to create it: then the "
        "gate does not try that first.",
    ),
    "jobs": Option(
        {},
        "a map of consolidate and start_session to maps",
        "Commands that are executed in the target's container and stand for lifecycle events.",
    ),
    "jobs.NAME.command": Option(None, "a list of texts", "The command; needed."),
    "jobs.NAME.timeout": Option(60.0, "seconds, from 0.1 to 600", "How long the command may take."),
    "options": Option({}, "a map", "Options that a `python:` target's adapter is made with."),
    "allow_restart": Option(
        False, "true or false", "Whether a `container:` target may be restarted by the gate."
    ),
    "state": Option(
        "durable",
        "durable or ephemeral",
        "`ephemeral` declares that the service keeps nothing over a restart: none takes place.",
    ),
    "token_env": Option(
        None,
        "the name of an environment variable that is set",
        "Holds the bearer token that is sent to the service; its value shows up nowhere.",
    ),
    "scenarios": Option(
        ["all"],
        "a list of scenario ids and suites (afterlife, deletion, policy, all)",
        "What is performed, by id or suite.",
    ),
    "require": Option(
        [],
        "a list of scenario ids",
        "Scenarios that must have run; they are performed too, and must not be SKIPPED.",
    ),
    "window": Option(
        5.0,
        "seconds, from 0.5 to 300",
        "How long every surface is watched after each event.",
    ),
    "timeout": Option(600.0, "seconds, from 1 to 86400", "How long the whole run may take."),
    "fail_on": Option(
        "medium",
        "low, medium, high, critical or never",
        "The least severity of a FAIL that closes the gate.",
    ),
    "fail_on_inconclusive": Option(True, "true or false", "Whether INCONCLUSIVE closes the gate."),
    "output_dir": Option("memtru-results", "a folder", "Where the reports are written."),
    "sarif_category": Option(
        "memtru",
        "letters, digits and . _ - /, at most 64",
        "Category of the SARIF document; one per run on the same commit.",
    ),
    "anchor": Option(
        None,
        "path or path:line, relative, inside the repository",
        "Where findings are shown; without it, the line that names the scenario or the target.",
    ),
    "seed": Option(
        None,
        "a whole number from 0 to 9007199254740991",
        "Makes markers the same again; drawn by chance, and kept in the report, without it.",
    ),
}
