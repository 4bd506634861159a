"""`souvenir chats`: copy all chats from one engine to another."""

from collections import Counter
from typing import Annotated

import typer

from souvenir.chat.copying import copy_chats, count_chats
from souvenir.cli.progress import showing_progress
from souvenir.cli.run import Json, print_json, run
from souvenir.config import ChatEngineName, Settings
from souvenir.errors import BadInput
from souvenir.storage import open_chats

app = typer.Typer(help="Chats: move them between engines.", no_args_is_help=True)


@app.command("copy")
def copy(
    source: Annotated[ChatEngineName, typer.Option("--from", help="The engine to read.")],
    target: Annotated[ChatEngineName, typer.Option("--to", help="The engine to write.")],
    as_json: Json = False,
) -> None:
    """Copy all chats to another engine, verified chat by chat. Run it again to go on where it stopped."""
    if source == target:
        raise BadInput("--to", "must be another engine than --from")

    async def work(settings: Settings) -> tuple[Counter[str], list[str]]:
        outcomes: Counter[str] = Counter()
        differing: list[str] = []
        async with open_chats(settings, source) as reader, open_chats(settings, target) as writer:
            total = await count_chats(reader)
            with showing_progress(f"chats from {source} to {target}", total, silent=as_json) as advance:
                async for copied in copy_chats(reader, writer):
                    outcomes[copied.outcome] += 1
                    if copied.outcome == "differs":
                        differing.append(f"{copied.space} {copied.chat_id}")
                    advance()
        return outcomes, differing

    outcomes, differing = run(work)
    if as_json:
        print_json({**dict.fromkeys(("copied", "present", "gone"), 0), **outcomes, "differs": differing})
    else:
        copied, present, gone = (outcomes[name] for name in ("copied", "present", "gone"))
        typer.echo(f"{copied} copied and verified, {present} there already, {gone} deleted meanwhile")
        for chat in differing:
            typer.secho(f"still being written to, copy again: {chat}", fg=typer.colors.YELLOW)
    if differing:
        raise typer.Exit(1)
