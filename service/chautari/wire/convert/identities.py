"""Identities, providers and attempts as messages."""

from chautari.app.account_values import LinkedIdentity
from chautari.app.attempts import Begun
from chautari.app.providers import Provider
from chautari.v1 import identities_pb2, linked_identity_pb2
from chautari.wire.convert.plain import fill_time


def provider_to_proto(provider: Provider) -> identities_pb2.Provider:
    """A provider that is trusted."""
    return identities_pb2.Provider(
        name=f"providers/{provider.key}", display_name=provider.name, issuer=provider.issuer,
        client_ids=provider.audiences,
    )  # fmt: skip


def begun_to_proto(begun: Begun) -> identities_pb2.BeginIdentityResponse:
    """An attempt that was begun."""
    message = identities_pb2.BeginIdentityResponse(attempt=begun.attempt, nonce=begun.nonce)
    fill_time(message.expire_time, begun.expires_at)
    return message


def identity_to_proto(linked: LinkedIdentity, provider: Provider | None) -> linked_identity_pb2.LinkedIdentity:
    """An identity, to its own account; its provider may be trusted no more."""
    message = linked_identity_pb2.LinkedIdentity(
        name=f"accounts/{linked.account_id}/identities/{linked.id}", issuer=linked.issuer, subject=linked.subject,
        provider=f"providers/{provider.key}" if provider else "", provider_name=provider.name if provider else "",
    )  # fmt: skip
    fill_time(message.link_time, linked.linked_at)
    if linked.last_used_at is not None:
        fill_time(message.last_used_time, linked.last_used_at)
    return message
