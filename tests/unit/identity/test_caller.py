"""Callers and the spaces they may use."""

import pytest

from souvenir.errors import BadInput, Forbidden
from souvenir.identity.caller import Caller


@pytest.mark.req("ID-6")
def test_a_request_writes_to_the_users_own_space_and_reads_it_and_the_global_one() -> None:
    scope = Caller("alice").scope()
    assert scope.space == "user:alice"
    assert scope.readable == ("user:alice", "global")


@pytest.mark.req("ID-6")
def test_a_project_and_an_org_the_caller_belongs_to_open_their_spaces() -> None:
    caller = Caller("alice", orgs=frozenset({"acme"}), projects=frozenset({"apollo"}), org="acme")
    scope = caller.scope("apollo")
    assert scope.space == "project:apollo"
    assert set(scope.readable) == {"project:apollo", "user:alice", "org:acme", "global"}


@pytest.mark.req("ID-6")
def test_a_project_or_org_of_others_is_forbidden() -> None:
    with pytest.raises(Forbidden):
        Caller("alice", projects=frozenset({"apollo"})).scope("gemini")
    with pytest.raises(Forbidden):
        Caller("alice", orgs=frozenset({"acme"}), org="other")


@pytest.mark.req("ID-6")
def test_without_authentication_every_org_and_project_is_open() -> None:
    scope = Caller("local", orgs=None, projects=None, org="any").scope("thing")
    assert set(scope.readable) == {"project:thing", "user:local", "org:any", "global"}


@pytest.mark.parametrize("name", ["", " x", "x\n", "a\x00b", "x" * 256])
def test_a_name_that_cannot_be_stored_is_bad_input(name: str) -> None:
    with pytest.raises(BadInput):
        Caller("alice", projects=None).scope(name)


@pytest.mark.req("ID-5")
def test_a_caller_without_a_user_has_no_space() -> None:
    with pytest.raises(BadInput, match="x-openwebui-user-id"):
        Caller(None).scope()
