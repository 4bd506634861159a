"""`souvenir search`: ask what is remembered, from a terminal or a script."""

from textwrap import indent
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from souvenir.api import schemas
from souvenir.api.search import answer_of, filter_of, spaces_of
from souvenir.app import open_souvenir
from souvenir.cli.callers import Project, User, operator_for
from souvenir.cli.run import Json, checked, plain, print_json, run
from souvenir.config import Settings


def search(
    query: Annotated[str, typer.Argument(help="What you want to know, in your own words.")],
    user: User = None,
    project: Project = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Most hits.")] = 10,
    threshold: Annotated[
        float | None, typer.Option(min=0, max=1, help="A hit's score must exceed it; unset: SOUVENIR_SEARCH_THRESHOLD.")
    ] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Only passages of this kind; repeat for more.")] = None,
    as_json: Json = False,
) -> None:
    """Find what answers a question: the hits, best first, with their scores and where they are from."""
    asked = checked(
        schemas.SearchRequest,
        {"query": query, "project_id": project, "limit": limit, "threshold": threshold, "kinds": kind},
    )

    async def work(settings: Settings) -> schemas.SearchAnswer:
        spaces = spaces_of(operator_for(user, settings), project)
        async with open_souvenir(settings) as souvenir:
            found = await souvenir.search.search(spaces, query, filter_of(asked), limit=limit, threshold=threshold)
            return answer_of(found)

    answer = run(work)
    if as_json:
        print_json(answer.model_dump(mode="json"))
    else:
        _show(answer)


def _show(answer: schemas.SearchAnswer) -> None:
    console = Console()
    if answer.degraded:
        typer.secho("The embedder does not answer: found by words alone.", err=True, fg=typer.colors.YELLOW)
    if not answer.hits:
        console.print("Nothing relevant is known.")
    for hit in answer.hits:
        who = hit.speaker or hit.role or hit.kind
        when = hit.created_at.isoformat(" ")
        heading = Text.assemble(
            (f"{hit.score:.2f}", "bold green"),
            f" {hit.citation} ",
            (plain(who), "bold"),
            f" {when[:16]}",
        )
        console.print(heading, highlight=False)
        # as text: what people write is neither markup nor control codes here
        console.print(Text(indent(plain(hit.text), " " * 5)), "", sep="\n", soft_wrap=True)
