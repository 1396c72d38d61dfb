"""The nights of `template.yaml`: schedule, queue, worker, and the bucket of what people read."""

import re
from typing import Any

import pytest

from commonplace.interfaces.aws import nightly_functions
from commonplace.settings import Settings
from tests.stack import Stack, template


@pytest.fixture(scope="module")
def stack() -> Stack:
    return Stack()


def planned(stack: Stack) -> Any:
    return stack.functions()["plan"]["Events"]["EveryNight"]["Properties"]


def read(stack: Stack) -> Any:
    return stack.functions()["night"]["Events"]["Nights"]["Properties"]


def test_days_are_read_at_23_utc_unless_somebody_chooses_otherwise(stack: Stack) -> None:
    about = planned(stack)
    asked = (about["ScheduleExpression"], about["ScheduleExpressionTimezone"], about["State"])
    assert asked == ("cron(0 23 * * ? *)", "UTC", "ENABLED")
    chosen = Stack(NightSchedule="rate(12 hours)", NightZone="Europe/Berlin", NightState="DISABLED")
    about = planned(chosen)
    asked = (about["ScheduleExpression"], about["ScheduleExpressionTimezone"], about["State"])
    assert asked == ("rate(12 hours)", "Europe/Berlin", "DISABLED")
    assert re.match(template()["Parameters"]["NightSchedule"]["AllowedPattern"], "cron(0 23 * * ? *)")


def test_a_plan_that_fails_is_tried_again_and_then_kept(stack: Stack) -> None:
    assert planned(stack)["DeadLetterConfig"] == {"Arn": "PlanDeadLetters.Arn"}
    about = stack.functions()["plan"]["EventInvokeConfig"]
    assert about["MaximumRetryAttempts"] == 2
    assert about["DestinationConfig"]["OnFailure"]["Destination"] == "PlanDeadLetters.Arn"


def test_a_message_is_one_user_s_and_fails_alone(stack: Stack) -> None:
    about = read(stack)
    assert (about["Queue"], about["BatchSize"]) == ("Nights.Arn", 1)
    assert about["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert about["ScalingConfig"] == {"MaximumConcurrency": 10}
    assert read(Stack(NightsAtOnce=50))["ScalingConfig"] == {"MaximumConcurrency": 50}


@pytest.mark.parametrize("seconds", template()["Parameters"]["NightTimeout"]["AllowedValues"])
def test_a_message_stays_with_its_worker_for_six_times_its_timeout(seconds: int) -> None:
    stack = Stack(NightTimeout=seconds)
    assert stack.functions()["night"]["Timeout"] == seconds
    assert stack.of("AWS::SQS::Queue")["Nights"]["VisibilityTimeout"] == 6 * seconds
    assert seconds * 1000 > 2 * nightly_functions._TO_END


def test_after_five_attempts_a_message_is_set_aside(stack: Stack) -> None:
    about = stack.of("AWS::SQS::Queue")["Nights"]
    assert about["RedrivePolicy"] == {"deadLetterTargetArn": "NightDeadLetters.Arn", "maxReceiveCount": 5}
    assert about["SqsManagedSseEnabled"] is True
    longest = 6 * max(template()["Parameters"]["NightTimeout"]["AllowedValues"])
    assert about["MessageRetentionPeriod"] > 5 * longest


def test_pages_are_closed_encrypted_and_old_versions_go(stack: Stack) -> None:
    about = stack.of("AWS::S3::Bucket")["Pages"]
    (rule,) = about["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"] == "AES256"
    assert about["VersioningConfiguration"] == {"Status": "Enabled"}
    assert set(about["PublicAccessBlockConfiguration"].values()) == {True}
    assert {"NoncurrentDays": 30} in [
        rule.get("NoncurrentVersionExpiration") for rule in about["LifecycleConfiguration"]["Rules"]
    ]
    (refused,) = stack.of("AWS::S3::BucketPolicy")["PagesPolicy"]["PolicyDocument"]["Statement"]
    assert (refused["Effect"], refused["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})


def test_what_nights_may_spend_is_what_the_settings_say() -> None:
    schema = Settings.model_json_schema()["properties"]
    names = {
        "NightUserTokens": "nightly_user_tokens", "NightAllTokens": "nightly_all_tokens", "NightPriceIn": "nightly_price_in",
        "NightPriceOut": "nightly_price_out", "NightTextsDays": "nightly_texts_days",
    }  # fmt: skip
    for parameter, name in names.items():
        assert int(template()["Parameters"][parameter]["Default"]) == schema[name]["default"]
        functions = Stack(**{parameter: 7}).functions()
        assert functions["night"]["Environment"][f"COMMONPLACE_{name.upper()}"] == 7
    assert {functions[name]["Environment"]["COMMONPLACE_NIGHTLY_TEXTS_DAYS"] for name in ("record", "plan")} == {7}


def test_another_model_may_read_days_than_cleans_statements() -> None:
    given = Stack(Claude="anthropic", ClaudeModel="one", NightModel="other").functions()
    assert given["night"]["Environment"]["COMMONPLACE_NIGHTLY_MODEL"] == "other"
    assert given["night"]["Environment"]["COMMONPLACE_CLAUDE_MODEL"] == "one"
    assert "COMMONPLACE_NIGHTLY_MODEL" not in given["summarize"]["Environment"]


def test_who_plans_who_hands_on_and_who_reads_share_the_queue(stack: Stack) -> None:
    functions = stack.functions()
    queues = {
        functions[name]["Environment"]["COMMONPLACE_NIGHT_QUEUE"] for name in ("plan", "night", "maintenance", "transfer")
    }
    assert queues == {"Nights"}
    assert {functions[name]["Environment"]["COMMONPLACE_PAGES_BUCKET"] for name in ("record", "night")} == {"Pages"}
