"""What a run gets on one machine: the model if there is a key, what it may cost, and how long texts stay."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from commonplace.bootstrap.local import open_local
from commonplace.settings import Settings

pytestmark = pytest.mark.integration


def test_without_a_key_there_is_no_model(memory_file: Path) -> None:
    with closing(open_local(Settings(db=memory_file))) as opened:
        night = opened.night()
    assert night.model is None
    assert night.text_retention == timedelta(days=30)


def test_settings_decide_on_the_model_its_cost_and_the_texts(memory_file: Path) -> None:
    chosen = Settings(
        db=memory_file, anthropic_api_key="test", nightly_model="of-the-night", nightly_user_tokens=7, nightly_texts_days=3
    )
    with closing(open_local(chosen)) as opened:
        night = opened.night()
    assert night.model is not None
    assert night.model.name == "of-the-night"
    assert night.allowance.user_tokens == 7
    assert night.text_retention == timedelta(days=3)
