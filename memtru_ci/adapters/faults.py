"""What an adapter raises to say no; the server turns each into a status of the contract.

AdapterFault
├── RefusedRequest   400  the request makes no sense to the service
├── NoSuchRecord     404  there is no such memory
│   └── RecordGone   410  there is none any more
└── NotSupported     501  the service does not do this
"""


class AdapterFault(Exception):
    """The message is shown to the caller as the problem's detail."""

    status = 500
    title = "The service failed"


class RefusedRequest(AdapterFault):
    """The request is well-formed, and still cannot be served: a cursor from nowhere, say."""

    status = 400
    title = "Refused"


class NoSuchRecord(AdapterFault):
    """There is no memory of that id in the namespace."""

    status = 404
    title = "No such memory"


class RecordGone(NoSuchRecord):
    """The memory was deleted."""

    status = 410
    title = "Gone"


class NotSupported(AdapterFault):
    """The adapter does not implement this call."""

    status = 501
    title = "Not supported"
