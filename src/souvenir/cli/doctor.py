"""`souvenir doctor`: is all well, and if not, what to do."""

from dataclasses import asdict

import typer

from souvenir.cli.run import Json, print_json, run
from souvenir.config import Settings
from souvenir.doctor import Finding, examine

_MARK = {"ok": ("✓", typer.colors.GREEN), "warning": ("!", typer.colors.YELLOW), "failed": ("✗", typer.colors.RED)}


def doctor(as_json: Json = False) -> None:
    """Check the database, the extension, the embedder, the providers, jobs and disk; exit 1 if something fails."""

    async def work(settings: Settings) -> list[Finding]:
        findings = []
        async for finding in examine(settings):
            findings.append(finding)
            if not as_json:
                _show(finding)
        return findings

    findings = run(work)
    if as_json:
        print_json([asdict(finding) for finding in findings])
    if any(finding.verdict == "failed" for finding in findings):
        raise typer.Exit(1)


def _show(finding: Finding) -> None:
    mark, color = _MARK[finding.verdict]
    typer.secho(f"{mark} {finding.part}: {finding.detail}", fg=color)
    if finding.fix:
        typer.echo(f"  → {finding.fix}")
