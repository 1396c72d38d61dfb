"""Where Markdown pages are kept: in a folder, or in a bucket."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from commonplace.errors import require_extra
from commonplace.settings import Settings

if TYPE_CHECKING:
    from commonplace.night_ports import Pages


def folder_pages(folder: Path) -> "Pages":
    """The pages of one folder."""
    from commonplace.adapters.folder import FolderPages

    return FolderPages(folder)


def pages_of(settings: Settings) -> "Callable[[str], Pages] | None":
    """A user's pages by the user's id: a folder per user, in the bucket if one is set, else in the folder; None: nowhere."""
    from commonplace.markdown.page import owner_of

    folder, bucket = settings.pages, settings.pages_bucket
    if bucket is None:
        return None if folder is None else lambda user_id: folder_pages(folder / owner_of(user_id))
    require_extra("aws", "a bucket for the pages is configured")
    from commonplace.adapters.s3 import S3Pages, connect

    client = cache(lambda: connect(settings.region))
    return lambda user_id: S3Pages(client(), bucket, owner_of(user_id))
