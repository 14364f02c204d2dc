"""A check by free requests that an endpoint accepts the key and has the model."""

from __future__ import annotations

from adjudge.judges.base_address import BaseAddress
from adjudge.judges.chat_failure import codes_of, failure_json
from adjudge.judges.hosts import serves_by_deployment
from adjudge.judges.http_transport import HttpTransport
from adjudge.judges.model_list import answered_json, lists, names_a_model, unknown_model
from adjudge.judges.protocol import ChatProtocol
from adjudge.judges.transport import HttpAnswer
from adjudge.records import Reason


async def objection(
    transport: HttpTransport, base: BaseAddress, protocol: ChatProtocol, model: str
) -> str | None:
    """Why the endpoint cannot be asked, from its list of models; None if it can.

    Many endpoints have no list, which proves nothing. A list may omit a model; the endpoint is
    then asked about that model alone.
    """
    if not protocol.models:  # any answer shows that the endpoint is reachable, nothing more
        await transport.get(base.plain.raw_path or "/")
        return None
    answer = await transport.get(base.below(protocol.models).raw_path_qs)
    if answer.status in {401, 402, 407} or _denies(answer, protocol):
        unwelcome = "the login of the proxy" if answer.status == 407 else "the key"
        return f"does not accept {unwelcome} (HTTP {answer.status})"
    if 200 <= answer.status < 300 and answer.is_web_page:
        return (
            "answers with a web page, such as a login page, and not as a chat endpoint; "
            "check base_url"
        )
    known = protocol.listed(answered_json(answer))
    if not known or lists(known, model) or serves_by_deployment(base.url.host):
        return None
    answer = await transport.get(base.at("models", model).raw_path_qs)
    return None if names_a_model(answer) else unknown_model(known, model)


def _denies(answer: HttpAnswer, protocol: ChatProtocol) -> bool:
    """Whether a failure's error code denies access; a 404 may only mean that there is no list."""
    if answer.status not in {400, 403}:
        return False
    codes = codes_of(answer.headers, failure_json(answer))
    return any(protocol.reasons.get(code) is Reason.DENIED for code in codes)
