"""What a user may do with all that is theirs at once: erase it."""

from fastapi import APIRouter

from souvenir.api import memory_schemas as schemas
from souvenir.api.callers import BEARER, TheCaller, TheSouvenir
from souvenir.api.documented import NATIVE_ERRORS
from souvenir.api.requests import CallerRoute
from souvenir.errors import Forbidden

router = APIRouter(
    prefix="/users", tags=["users"], route_class=CallerRoute, dependencies=[BEARER], responses=NATIVE_ERRORS
)


@router.delete("/{user_id:path}/data")
async def erase_user(user_id: str, souvenir: TheSouvenir, caller: TheCaller) -> schemas.Erased:
    """Erase the caller: every row in every table and engine, API keys too, and their name from what they shared."""
    if user_id != caller.require_user():
        raise Forbidden("you can erase nobody but yourself")
    return schemas.Erased(user_id=user_id, removed=await souvenir.erasing.erase(user_id))
