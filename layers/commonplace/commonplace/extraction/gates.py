"""The gates, which are checks that every reader's decisions must pass."""

from collections.abc import Sequence

from commonplace.domain.fields import MAX_TEXT
from commonplace.domain.memory import Memory
from commonplace.extraction.candidate import Candidate, Decision
from commonplace.extraction.changes.contradictions import contradicted
from commonplace.extraction.changes.corrections import is_correction
from commonplace.extraction.clauses import LONGEST_EVIDENCE, clauses, without_request
from commonplace.extraction.content_words import shared_stems, stems_of
from commonplace.extraction.days import Day, Utterance
from commonplace.extraction.dialogue import question_to_user
from commonplace.extraction.forgetting.matching import is_about
from commonplace.extraction.forgetting.requests import ForgetRequest, addresses_the_memory, forget_requests
from commonplace.extraction.grounding.evidence import clauses_around, evidence_span, unsupported
from commonplace.extraction.interests import BETWEEN, DAYS, possible_notes
from commonplace.extraction.patterns import has_wording, is_instruction_to_reader, the_user
from commonplace.extraction.third_parties import household_names
from commonplace.extraction.worthiness import SECRET, exclusion_reason, imagined_or_reported
from commonplace.text.redaction import redact

_EXPLICIT = 0.95


def refusal_reason(decision: Decision, day: Day, targets: Sequence[Memory]) -> str | None:
    """Return the reason that a decision must not be applied, or None. `targets` contains the targets that still exist."""
    candidate = decision.candidate
    # Forgotten content is also erased from recorded texts, so the gates apply even if no memory contains the content.
    forgets = decision.operation == "FORGET" or candidate.forgets
    if decision.operation == "NOOP" and not forgets:
        return None
    if not 0.0 <= candidate.confidence <= 1.0:
        return "its confidence is not between 0 and 1"
    if not candidate.evidence.strip() or len(candidate.evidence) > LONGEST_EVIDENCE:
        return f"its evidence is not 1 to {LONGEST_EVIDENCE} characters long"
    if unknown := set(decision.targets) - {memory.memory_id for memory in targets}:
        return f"it names {len(unknown)} memories that are not there"
    titles = [title.title for title in day.titles if title.interaction_id == candidate.interaction_id]
    parts = candidate.evidence.split(BETWEEN) if candidate.rests_on else [candidate.evidence]
    if candidate.section == "reading_history" and any(part in title for part in parts for title in titles):
        return _refuse_title(decision, titles)
    utterance = day.utterance_at(candidate.interaction_id, candidate.position)
    if utterance is None or utterance.role != "user":
        return "its evidence is no message of the user of that day"
    if evidence_span(candidate.evidence, utterance) is None:
        return "its evidence does not lie in the user's own words"
    if is_instruction_to_reader(candidate.evidence):
        return "an instruction to whoever reads it"
    if forgets:
        return _refuse_forgetting(utterance, day, candidate)
    return _refuse_content(decision, day, utterance, targets)


def _refuse_forgetting(utterance: Utterance, day: Day, candidate: Candidate) -> str | None:
    """Return the reason that an erasure is refused, or None if the user explicitly asks to forget the content."""
    meant = [request for request in forget_requests_in(candidate.evidence, utterance, day.before(utterance)) if request.meant]
    if not meant:
        return "the user did not ask to forget it"
    return None if is_requested(candidate.content, meant, utterance, day) else "the user wants something else forgotten"


def _refuse_content(decision: Decision, day: Day, utterance: Utterance, targets: Sequence[Memory]) -> str | None:
    """Return the reason not to apply a decision with this content, like a secret or a missing support, or None."""
    candidate = decision.candidate
    content = decision.says.strip()
    if decision.operation == "DELETE" and not content:
        return _refuse_closing(decision, content, targets)
    if not content or len(content) > MAX_TEXT:
        return f"its content is not 1 to {MAX_TEXT} characters long"
    before = day.before(utterance)
    family = household_names((*(turn.own_words for turn in day.utterances), *(memory.content for memory in targets)))
    if redact(content, before.text if before else None).kinds:
        return SECRET
    if is_to_be_forgotten(content, candidate.evidence, utterance, before):
        return "the user wants it forgotten"
    question = question_to_user(before)
    return (
        exclusion_reason(content, family)
        or exclusion_reason(candidate.evidence, family)
        or _refuse_if_not_meant(candidate, utterance, question)
        or unsupported(content, candidate.evidence, _find_support(candidate, day, targets, question), utterance.time.date())
        or _refuse_closing(decision, content, targets)
    )


def _refuse_if_not_meant(candidate: Candidate, utterance: Utterance, question: str | None) -> str | None:
    """Return the reason that a candidate is refused, or None. Imagined things and other people's opinions don't count."""
    if has_wording("yes", candidate.evidence) and question is None:
        return "a yes to nothing that was asked of the user"
    reasons = [imagined_or_reported(part.text) for part in clauses_around(candidate.evidence, utterance, clauses(utterance))]
    return reasons[0] if reasons and all(reasons) else None


def _find_support(candidate: Candidate, day: Day, targets: Sequence[Memory], question: str | None) -> list[str]:
    """Return the texts besides the evidence that may support a candidate, such as the question and the changed memories."""
    texts = [memory.content for memory in targets]
    if candidate.corrects:
        utterance = day.utterance_at(candidate.interaction_id, candidate.position)
        texts += [earlier.own_words for earlier in day.earlier(utterance) if earlier.own] if utterance else []
    return [*texts, *((question,) if question else ())]


def _refuse_closing(decision: Decision, content: str, targets: Sequence[Memory]) -> str | None:
    """Return the reason not to close the targets, or None. Targets must be older. A DELETE must correct or contradict one."""
    candidate = decision.candidate
    if candidate.event_time and any(candidate.event_time < memory.happened_at for memory in targets):
        return "older than what it would change"
    if decision.operation != "DELETE" or candidate.corrects or is_correction(candidate.evidence):
        return None
    changed = any(contradicted(content, memory.content, corrects=True) for memory in targets)
    return None if changed else "it would close a memory that its words don't contradict"


def _refuse_title(decision: Decision, titles: Sequence[str]) -> str | None:
    """Return the reason to refuse a decision based on titles, or None. Notes need one title, and interests need three."""
    candidate = decision.candidate
    content = decision.says
    if is_instruction_to_reader(content) or redact(content).kinds:
        return "an instruction or a secret in a title"
    if decision.operation != "ADD":
        return "a title changes nothing that is remembered"
    if candidate.durability == "durable":
        return None if len(set(candidate.rests_on)) >= DAYS else f"an interest rests on {DAYS} interactions"
    in_title = any(content in possible_notes(title) for title in titles)
    return None if in_title and candidate.durability == "daily" else "a title tells nothing but that it was met, for a while"


def is_user_request(candidate: Candidate, day: Day) -> bool:
    """Return whether the user explicitly asked to remember the statement behind a candidate."""
    utterance = day.utterance_at(candidate.interaction_id, candidate.position)
    if utterance is None or utterance.role != "user":
        return False
    return utterance.explicit or any(
        without_request(clause)[1] for clause in clauses_around(candidate.evidence, utterance, clauses(utterance))
    )


def forget_candidates(utterance: Utterance, before: Utterance | None, taken: bool = False) -> list[Candidate]:
    """Return candidates for the forget requests in a message that say what to forget.

    `taken` is True if the reader understood the message as a forget request. Otherwise, only requests that are clear on their
    own count, because the conversation may be role-play.
    """
    served = [request for request in forget_requests(utterance, before) if request.can_be_served]
    is_clear = taken or utterance.explicit
    return [forget_candidate(item, utterance) for item in served if is_clear or addresses_the_memory(item.clause.text)]


def forget_candidate(request: ForgetRequest, utterance: Utterance) -> Candidate:
    return Candidate(
        content=request.target,
        interaction_id=utterance.interaction_id,
        position=utterance.position,
        evidence=request.clause.text[:LONGEST_EVIDENCE],
        confidence=_EXPLICIT,
        event_time=utterance.time,
        forgets=True,
    )


def forget_requests_in(evidence: str, utterance: Utterance, before: Utterance | None) -> list[ForgetRequest]:
    """Return a message's forget requests whose clauses overlap the evidence."""
    around = clauses_around(evidence, utterance, clauses(utterance))
    return [request for request in forget_requests(utterance, before) if request.clause in around] if around else []


def is_requested(target: str, requests: Sequence[ForgetRequest], utterance: Utterance, day: Day) -> bool:
    """Return whether the requests mention all of `target`. If they don't say what to forget, earlier messages must."""
    named = [request.target for request in requests if request.can_be_served]
    wanted = stems_of(target) - the_user()
    earlier = [] if named else day.earlier(utterance)
    known = stems_of("\n".join((*named, *(turn.own_words for turn in earlier), *(turn.text for turn in earlier[-1:]))))
    return target in named or (bool(wanted) and shared_stems(wanted, known) == wanted)


def is_to_be_forgotten(content: str, evidence: str, utterance: Utterance, before: Utterance | None) -> bool:
    """Return whether the message that contains `content` also asks to forget it."""
    served = [request for request in forget_requests(utterance, before) if request.can_be_served]
    span = evidence_span(evidence, utterance)
    within = any(request.clause.start <= span[0] and span[1] <= request.end for request in served) if span else False
    return within or any(is_about(request.target, content) for request in served)
