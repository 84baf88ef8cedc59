"""The error tree: a misused tool is an exception, a misbehaving service is a verdict.

MemtruError                  what failed, on what, and what to try
├── UsageError               exit 2: wrong command line, option or input
│   └── SettingsError        exit 2: a settings file is malformed (file, line, key)
└── InfrastructureError      exit 4: nothing could be tested
    ├── EngineError          no usable Docker Engine, or it refused
    └── TargetError          the target could not be brought up, or died

ServiceError                 what a service answered; recorded as an event, never shown as a crash
├── ProviderError            an error status, with the problem's title and detail
│   └── NoSuchRecord         404 or 410 on a path that holds an id
├── NotOffered               405 or 501, or 404 on a path without an id: the capability is not there
├── ContractViolation        an answer that breaks the contract: endpoint, field, what came
├── NoAnswer                 sent, and no complete answer came: the outcome is unknown
└── TargetLost               the service cannot be reached any more
"""

EXIT_OPEN = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_INCONCLUSIVE = 3
EXIT_INFRASTRUCTURE = 4


class MemtruError(Exception):
    """Something that the user must know, as one message and one hint."""

    exit_code = EXIT_INFRASTRUCTURE

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(MemtruError):
    """The command line, an option or an input of the action is wrong."""

    exit_code = EXIT_USAGE


class SettingsError(UsageError):
    """A settings file is malformed: the message names file, line, key and what is allowed."""


class InfrastructureError(MemtruError):
    """Nothing could be tested for a reason that is not the service's answer."""


class EngineError(InfrastructureError):
    """There is no usable Docker Engine, or it refused what it was asked."""


class TargetError(InfrastructureError):
    """The target could not be brought up, or is gone."""


class ServiceError(Exception):
    """What a service did instead of answering by the contract.

    `endpoint` is the method and path template, `steps` the numbers of the exchanges kept as
    evidence.
    """

    def __init__(self, endpoint: str, detail: str, steps: tuple[int, ...] = ()) -> None:
        super().__init__(f"{endpoint}: {detail}")
        self.endpoint = endpoint
        self.detail = detail
        self.steps = steps


class ProviderError(ServiceError):
    """The service answered with an error status (4xx or 5xx)."""

    def __init__(
        self, endpoint: str, detail: str, steps: tuple[int, ...] = (), *, status: int
    ) -> None:
        super().__init__(endpoint, detail, steps)
        self.status = status


class NoSuchRecord(ProviderError):
    """The path holds an id, and the service knows no such record (404 or 410)."""


class NotOffered(ServiceError):
    """The endpoint is not there: 405 or 501, or 404 on a path that holds no id."""

    def __init__(
        self, endpoint: str, detail: str, steps: tuple[int, ...] = (), *, status: int
    ) -> None:
        super().__init__(endpoint, detail, steps)
        self.status = status


class ContractViolation(ServiceError):
    """An answer that breaks the contract; `field` says where, `detail` what came."""

    def __init__(
        self, endpoint: str, detail: str, steps: tuple[int, ...] = (), *, field: str
    ) -> None:
        super().__init__(endpoint, detail, steps)
        self.field = field


class NoAnswer(ServiceError):
    """The request was sent, but no complete answer came in time: the outcome is unknown."""


class TargetLost(ServiceError):
    """The service cannot be reached: the request was never delivered."""


def innermost(error: BaseException) -> BaseException:
    """The error itself where a task group has wrapped a single one."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
