"""Every call of the contract: its capability, where it is, what it takes and what it answers."""

from dataclasses import dataclass

from pydantic import BaseModel

from memtru_ci.contract import messages as m
from memtru_ci.contract.receipts import BackupAnswer, ReleaseAnswer
from memtru_ci.domain.capability import Capability
from memtru_ci.domain.receipt import HookReceipt


@dataclass(frozen=True)
class Operation:
    """One call. `success` lists the documented statuses; the gate takes any 2xx as success."""

    name: str
    capability: Capability | None
    method: str
    path: str
    summary: str
    request: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    answer: type[BaseModel] | None = None
    success: tuple[int, ...] = (200,)
    missing: tuple[int, ...] = ()
    """The statuses that say that there is no such record."""

    @property
    def holds_id(self) -> bool:
        """Whether the path names a record: then 404 means that there is none."""
        return "{" in self.path

    @property
    def endpoint(self) -> str:
        """Method and path template, as messages name it."""
        return f"{self.method} {self.path}"


HEALTH = Operation(
    "health", None, "GET", "/health", "200 once the service can take calls, 503 before that"
)
CAPABILITIES = Operation(
    "capabilities",
    None,
    "GET",
    "/capabilities",
    "What the service is and can do",
    answer=m.CapabilitiesAnswer,
)

_MEMORY = (
    Operation(
        "write",
        Capability.MEMORY_WRITE,
        "POST",
        "/memories",
        "Store a memory",
        request=m.WriteRequest,
        answer=m.WrittenAnswer,
        success=(201,),
    ),
    Operation(
        "update",
        Capability.MEMORY_UPDATE,
        "PUT",
        "/memories/{id}",
        "Give an existing memory another text",
        request=m.UpdateRequest,
        answer=m.WrittenAnswer,
        missing=(404, 410),
    ),
    Operation(
        "search",
        Capability.MEMORY_SEARCH,
        "POST",
        "/memories/search",
        "Find memories, best first",
        request=m.SearchRequest,
        answer=m.SearchAnswer,
    ),
    Operation(
        "list",
        Capability.MEMORY_LIST,
        "GET",
        "/memories",
        "List memories, page by page",
        query=m.ListQuery,
        answer=m.ListAnswer,
    ),
    Operation(
        "delete",
        Capability.MEMORY_DELETE,
        "DELETE",
        "/memories/{id}",
        "Delete a memory, for good; 202 where that is only accepted",
        query=m.Scoped,
        success=(200, 202, 204),
        missing=(404,),
    ),
    Operation(
        "delete_thread",
        Capability.THREAD_DELETE,
        "DELETE",
        "/threads/{thread_id}",
        "Delete the conversation and checkpoint state of a thread",
        query=m.Scoped,
        answer=HookReceipt,
    ),
    Operation(
        "delete_namespace",
        Capability.NAMESPACE_DELETE,
        "DELETE",
        "/namespaces/{namespace}",
        "Remove all that a namespace holds",
        answer=HookReceipt,
    ),
)

_LIFECYCLE = (
    Operation(
        "begin_pending_write",
        Capability.LIFECYCLE_PENDING_WRITES,
        "POST",
        "/lifecycle/pending-writes",
        "Start a real write and hold it before it is applied; answers while it is held",
        request=m.PendingWriteRequest,
        answer=HookReceipt,
    ),
    Operation(
        "release_pending_writes",
        Capability.LIFECYCLE_PENDING_WRITES,
        "POST",
        "/lifecycle/pending-writes/release",
        "Let the held writes complete exactly as the system would",
        request=m.Scoped,
        answer=ReleaseAnswer,
    ),
    Operation(
        "record_conversation",
        Capability.LIFECYCLE_CONVERSATION,
        "POST",
        "/lifecycle/conversations",
        "Append messages to the retained history of a thread",
        request=m.ConversationRequest,
        answer=HookReceipt,
    ),
    Operation(
        "start_session",
        Capability.LIFECYCLE_NEW_SESSION,
        "POST",
        "/lifecycle/sessions",
        "Begin a session, with whatever ingestion a session start does",
        request=m.Scoped,
        answer=HookReceipt,
    ),
    Operation(
        "consolidate",
        Capability.LIFECYCLE_CONSOLIDATE,
        "POST",
        "/lifecycle/consolidate",
        "Run one ingestion or consolidation cycle",
        request=m.Scoped,
        answer=HookReceipt,
    ),
    Operation(
        "restart",
        Capability.LIFECYCLE_RESTART,
        "POST",
        "/lifecycle/restart",
        "Restart the isolated instance; for services that the gate cannot restart itself",
        request=m.RestartRequest,
        answer=HookReceipt,
    ),
    Operation(
        "backup",
        Capability.LIFECYCLE_BACKUP,
        "POST",
        "/lifecycle/backup",
        "Make a backup of the namespace",
        request=m.Scoped,
        answer=BackupAnswer,
    ),
    Operation(
        "restore",
        Capability.LIFECYCLE_BACKUP,
        "POST",
        "/lifecycle/restore",
        "Bring a backup back; what was deleted since stays deleted",
        request=m.RestoreRequest,
        answer=HookReceipt,
    ),
    Operation(
        "retrieval_surfaces",
        Capability.LIFECYCLE_SURFACES,
        "GET",
        "/lifecycle/surfaces",
        "Name the surfaces that an agent reads beside search and list",
        query=m.Scoped,
        answer=m.SurfacesAnswer,
    ),
    Operation(
        "inspect_surface",
        Capability.LIFECYCLE_SURFACES,
        "POST",
        "/lifecycle/surfaces/{name}",
        "Read a surface as the agent would",
        request=m.InspectRequest,
        answer=m.InspectAnswer,
    ),
)

_POLICY = (
    Operation(
        "policy_events",
        Capability.POLICY_EVENTS,
        "POST",
        "/policy/events",
        "Take events of the temporal policy, for good",
        request=m.PolicyEventsRequest,
        answer=m.PolicyEventsAnswer,
    ),
    Operation(
        "policy_query",
        Capability.POLICY_QUERY,
        "POST",
        "/policy/query",
        "Say which facts of a session hold",
        request=m.PolicyQueryRequest,
        answer=m.PolicyQueryAnswer,
    ),
)

OPERATIONS: tuple[Operation, ...] = (HEALTH, CAPABILITIES, *_MEMORY, *_LIFECYCLE, *_POLICY)
"""All calls, in the order in which the contract page shows them."""

BY_NAME = {one.name: one for one in OPERATIONS}
"""The calls by the name of the adapter method that performs them."""
