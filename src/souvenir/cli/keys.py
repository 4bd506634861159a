"""`souvenir keys`: create, list and revoke API keys."""

from datetime import timedelta
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table

from souvenir.cli.run import Json, print_json, run
from souvenir.config import Settings
from souvenir.errors import BadInput
from souvenir.storage import open_storage
from souvenir.stores.ports import ApiKey

app = typer.Typer(
    help="API keys: for people (--user) or for programs that act for users (--service).", no_args_is_help=True
)


@app.command("create")
def create(
    user: Annotated[str | None, typer.Option(help="The user this key stands for.")] = None,
    service: Annotated[
        bool, typer.Option("--service", help="May act for the user named in x-openwebui-user-id.")
    ] = False,
    name: Annotated[str, typer.Option(help="What it is for, to tell keys apart.")] = "key",
    org: Annotated[list[str] | None, typer.Option(help="An org its holder belongs to; repeat for more.")] = None,
    project: Annotated[list[str] | None, typer.Option(help="A project its holder belongs to; repeat for more.")] = None,
    days: Annotated[int | None, typer.Option(min=1, help="Days until it expires; unset: never.")] = None,
    as_json: Json = False,
) -> None:
    """Create a key and show it, this once."""
    if (user is None) != service:
        raise BadInput("", "give either --user NAME or --service")

    async def work(settings: Settings) -> tuple[ApiKey, str]:
        async with open_storage(settings) as storage:
            expires = storage.clock.now() + timedelta(days=days) if days is not None else None
            return await storage.keys.create(
                name, user, orgs=tuple(org or ()), projects=tuple(project or ()), expires_at=expires
            )

    key, token = run(work)
    if as_json:
        print_json(_public(key) | {"token": token})
        return
    typer.echo(token)
    typer.echo(f"Key {key.key_id} for {_holder(key)}. It is shown this once: keep it safe.", err=True)


@app.command("list")
def list_keys(as_json: Json = False) -> None:
    """List keys, newest first. Secrets are not kept, so none are shown."""

    async def work(settings: Settings) -> list[ApiKey]:
        async with open_storage(settings) as storage:
            return await storage.keys.list()

    keys = run(work)
    if as_json:
        print_json([_public(key) for key in keys])
        return
    table = Table(
        Column("key", no_wrap=True), "name", "holder", "orgs", "projects", "created", "last used", "state", box=None
    )
    for key in keys:
        table.add_row(
            key.key_id,
            key.name,
            _holder(key),
            " ".join(key.orgs),
            " ".join(key.projects),
            f"{key.created_at:%Y-%m-%d}",
            f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never",
            _state(key),
        )
    Console().print(table if keys else "No keys yet: souvenir keys create --user NAME")


@app.command("revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(help="The key's id, as `keys list` shows it.")], as_json: Json = False
) -> None:
    """Revoke a key, at once and for good."""

    async def work(settings: Settings) -> ApiKey:
        async with open_storage(settings) as storage:
            return await storage.keys.revoke(key_id)

    key = run(work)
    if as_json:
        print_json(_public(key))
        return
    typer.echo(f"Key {key.key_id} of {_holder(key)} is revoked.")


def _holder(key: ApiKey) -> str:
    return "a service" if key.is_service else f"user {key.user_id}"


def _state(key: ApiKey) -> str:
    if key.revoked_at is not None:
        return f"revoked {key.revoked_at:%Y-%m-%d}"
    return f"until {key.expires_at:%Y-%m-%d}" if key.expires_at is not None else "valid"


def _public(key: ApiKey) -> dict[str, Any]:
    return {
        "key_id": key.key_id,
        "name": key.name,
        "service": key.is_service,
        "user_id": key.user_id,
        "orgs": list(key.orgs),
        "projects": list(key.projects),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "last_used_at": key.last_used_at,
    }
