import type { CallCommand } from "../../call/events.ts";
import { BUILT_IN_TOOLS, storesWords } from "../../core/calls/spec.ts";
import type { TranscriptTurn } from "../../core/calls/transcript.ts";
import { type ReplyPassages, withoutNames } from "../../core/knowledge/call-knowledge.ts";
import { PHRASE_NAMES, type PhraseName } from "../../core/phrases/names.ts";
import { ICU } from "../../core/runtime/version.ts";
import type { Prosody } from "../../media/prosody/prosody.ts";
import type {
  JournaledCommand,
  JournaledEvent,
  JournalHeader,
  JournalRecord,
  JournalStart,
  OccasionalEvent,
} from "./records.ts";
import { TURN_WEIGHTS } from "./turn-weights.ts";

/*
 * What may be journaled of a call. For a call whose words are not stored, everything is left out that either side said, typed
 * or dialled, or that an LLM or a peer made up; counts, times and kinds stay. Each object is built field by field, so
 * that a field added to an event later is left out until it is added here, too.
 */

/** A journal's first record. `software` is the version that writes it; the spec is left out when its words may not be stored. */
export function journalHeader(software: string, start: JournalStart): JournalHeader {
  const {
    callId,
    accountId,
    startedAt,
    leg,
    detector,
    sttHasInterim,
    sttFinalPerUtterance,
    parameters,
    promptTokensMax,
    spec,
  } = start;
  const bound = promptTokensMax === undefined ? {} : { promptTokensMax };
  const header = {
    software,
    icu: ICU,
    turnWeights: TURN_WEIGHTS,
    callId,
    accountId,
    startedAt,
    leg,
    ...(detector === undefined ? {} : { detector }),
    sttHasInterim,
    ...(sttFinalPerUtterance === true && { sttFinalPerUtterance }),
    parameters,
    ...bound,
  };
  if (storesWords(spec)) return { ...header, spec };
  if (!spec.recordingEnabled) return header;
  const { connectionType, maxDurationMs } = spec;
  return { ...header, audio: { connectionType, maxDurationMs } };
}

/** The event as the journal stores it: unchanged with words, otherwise without anything that was said. */
export const journaledEvent = (event: OccasionalEvent, withWords: boolean): JournaledEvent =>
  withWords ? event : eventWithoutWords(event);

/**
 * The command as the journal stores it. Of an LLM request's prompt only the number of messages is stored, and of a
 * transcript and an interim only its length; when words are not stored, everything said is left out as well.
 */
export function journaledCommand(command: CallCommand, withWords: boolean): JournaledCommand {
  if (command.kind === "generate-reply") {
    const { kind, turnId, messages, language } = command;
    return { kind, turnId, messages: messages.length, language };
  }
  if (command.kind === "preemptive-start") {
    const { kind, messages, language } = command;
    return { kind, messages: messages.length, language };
  }
  const isInterim = command.kind === "transcript" || command.kind === "interim";
  return withWords && !isInterim ? command : commandWithoutWords(command);
}

function redactedStart(event: Extract<OccasionalEvent, { kind: "leg-started" }>): JournaledEvent {
  const { kind, codec, carrierCallId, parameters } = event;
  const parameterCount = Object.keys(parameters ?? {}).length;
  const emptied = parameters === undefined ? {} : { parameters: {}, parameterCount };
  return { kind, codec, ...(carrierCallId === undefined ? {} : { carrierCallId }), ...emptied };
}

function redactedTranscript(event: Extract<OccasionalEvent, { kind: "stt-interim" | "stt-final" }>): JournaledEvent {
  const { kind, text, language, endOfTurn } = event;
  const detected = language === undefined ? {} : { language };
  const signal = endOfTurn === undefined ? {} : { endOfTurn };
  const late = kind === "stt-final" && event.lateMs !== undefined ? { lateMs: event.lateMs } : {};
  return { kind, text: "", chars: text.length, ...detected, ...signal, ...late };
}

const redactedProsody = (prosody: Prosody): Prosody => ({
  quietMs: prosody.quietMs,
  soundMs: prosody.soundMs,
});

const redactedUsage = ({
  kind,
  stage,
  provider,
  usage,
  preemptive,
}: Extract<OccasionalEvent, { kind: "usage" }>): JournaledEvent => ({
  kind,
  stage,
  provider,
  usage,
  ...(preemptive && { preemptive }),
});

/** In place of phrases that an LLM may have written. */
const NO_PHRASES = Object.fromEntries(PHRASE_NAMES.map((name) => [name, ""])) as Readonly<Record<PhraseName, string>>;

function redactedChoice(
  event: Extract<OccasionalEvent, { kind: "voice-chosen" | "phrases-chosen" | "detector-changed" }>,
): JournaledEvent {
  const { kind } = event;
  if (kind === "detector-changed") return { kind, detector: event.detector };
  if (kind === "phrases-chosen") return { kind, language: event.language, origin: event.origin, phrases: NO_PHRASES };
  return { kind, language: event.language, voiceId: event.voiceId, supportsLanguage: event.supportsLanguage };
}

function redactedProvider(
  event: Extract<OccasionalEvent, { kind: "provider-switched" | "context-exceeded" }>,
): JournaledEvent {
  const { kind } = event;
  if (kind === "provider-switched")
    return { kind, stage: event.stage, from: event.from, to: event.to, code: event.code };
  return { kind, provider: event.provider, tokensMax: event.tokensMax, retried: event.retried };
}

function redactedResult(event: Extract<OccasionalEvent, { kind: "tool-result" }>): JournaledEvent {
  const { kind, turnId, toolCallId, result, failed, retrieval } = event;
  const found = retrieval === undefined ? {} : { retrieval: redactedPassages(retrieval) };
  return { kind, turnId, toolCallId, result: "", failed, ...found, chars: result.length };
}

/** The ids of the documents, without their names. */
export const redactedPassages = ({ tookMs, passages }: ReplyPassages): ReplyPassages => ({
  tookMs,
  passages: passages.map(withoutNames),
});

/** Ids and scores stay; what stands in a document does not. */
function redactedFound(event: Extract<OccasionalEvent, { kind: "passages" | "retrieval-failed" }>): JournaledEvent {
  if (event.kind === "retrieval-failed") return { kind: event.kind, retrieval: event.retrieval, code: event.code };
  const { kind, retrieval, tookMs, passages } = event;
  const chars = passages.reduce((sum, { text }) => sum + text.length, 0);
  const emptied = passages.map(({ corpusId, documentId, score }) => ({
    ...{ corpusId, documentId, score },
    ...{ documentName: "", ordinal: 0, headings: [], page: undefined, text: "" },
  }));
  return { kind, retrieval, tookMs, passages: emptied, chars };
}

function redactedToolCall(event: Extract<OccasionalEvent, { kind: "reply-tool-call" }>): JournaledEvent {
  const { kind, turnId, name, argumentsJson } = event;
  return { kind, turnId, id: "", name: builtInToolName(name), argumentsJson: "", chars: argumentsJson.length };
}

function redactedAudio(event: Extract<OccasionalEvent, { kind: "segment-audio" }>): JournaledEvent {
  const { kind, turnId, segment, samples, words } = event;
  return { kind, turnId, segment, samples, words: [], wordCount: words.length };
}

function redactedNetwork(event: Extract<OccasionalEvent, { kind: "network" }>): JournaledEvent {
  const { kind, packetsIn, lostIn, packetsOut, lostOut, jitterInMs, jitterOutMs, roundTripMs } = event;
  return {
    ...{ kind, packetsIn, lostIn, packetsOut, lostOut, jitterInMs },
    ...(jitterOutMs !== undefined && { jitterOutMs }),
    ...(roundTripMs !== undefined && { roundTripMs }),
  };
}

function redactedRequest(
  event: Extract<
    OccasionalEvent,
    { kind: "mark" | "dtmf" | "hold-requested" | "dtmf-requested" | "finalize-requested" }
  >,
): JournaledEvent {
  if (event.kind === "mark") return { kind: event.kind, name: "", chars: event.name.length };
  if (event.kind === "dtmf") return { kind: event.kind, digit: "", chars: event.digit.length };
  if (event.kind === "hold-requested") return { kind: event.kind, msMax: event.msMax };
  if (event.kind === "dtmf-requested") return { kind: event.kind, digits: "", chars: event.digits.length };
  const { kind, endReason } = event;
  return { kind, ...(endReason !== undefined && { endReason }) };
}

function redactedTransfer(
  event: Extract<OccasionalEvent, { kind: "transfer-started" | "transfer-failed" }>,
): JournaledEvent {
  const removed = { target: "", chars: event.target.length };
  if (event.kind === "transfer-started") return { kind: event.kind, ...removed };
  return { kind: event.kind, outcome: event.outcome, ...removed };
}

const redactedReplyEnd = (event: Extract<OccasionalEvent, { kind: "reply-end" | "reply-failed" }>): JournaledEvent =>
  event.kind === "reply-end"
    ? { kind: event.kind, turnId: event.turnId }
    : { kind: event.kind, turnId: event.turnId, code: event.code };

/** The event without anything that was said. */
export function eventWithoutWords(event: OccasionalEvent): JournaledEvent {
  const { kind } = event;
  switch (kind) {
    case "tick":
    case "pong":
    case "leg-detached":
    case "resume-requested":
    case "recording-pause-requested":
    case "recording-resume-requested":
      return { kind };
    case "mark":
    case "dtmf":
    case "hold-requested":
    case "dtmf-requested":
    case "finalize-requested":
      return redactedRequest(event);
    case "leg-started":
      return redactedStart(event);
    case "leg-closed":
    case "end-requested":
    case "goodbye-requested":
      return { kind, reason: event.reason };
    case "cleared":
      return { kind, playedMs: event.playedMs };
    case "voice-chosen":
    case "phrases-chosen":
    case "detector-changed":
      return redactedChoice(event);
    case "provider-switched":
    case "context-exceeded":
      return redactedProvider(event);
    case "usage":
      return redactedUsage(event);
    case "network":
      return redactedNetwork(event);
    case "limit-reached":
      return { kind, scope: event.scope, limit: event.limit, action: event.action };
    case "transfer-started":
    case "transfer-failed":
      return redactedTransfer(event);
    case "tool-result":
      return redactedResult(event);
    case "passages":
    case "retrieval-failed":
      return redactedFound(event);
    case "typed":
    case "transfer-refused":
      return { kind, text: "", chars: event.text.length };
    case "stt-interim":
    case "stt-final":
      return redactedTranscript(event);
    case "prosody":
      return { kind, ...redactedProsody(event) };
    case "turn-model":
      return { kind, probability: event.probability };
    case "stt-failed":
    case "internal-error":
      return { kind, code: event.code };
    case "reply-text":
      return { kind, turnId: event.turnId, text: "", chars: event.text.length };
    case "reply-tool-call":
      return redactedToolCall(event);
    case "reply-end":
    case "reply-failed":
      return redactedReplyEnd(event);
    case "segment-audio":
      return redactedAudio(event);
    case "segment-end":
      return { kind, turnId: event.turnId, segment: event.segment, samples: event.samples };
    case "segment-failed":
      return { kind, turnId: event.turnId, segment: event.segment, code: event.code };
  }
}

function redactedRetrieval(
  command: Extract<CallCommand, { kind: "retrieve" | "await-passages" | "passages-used" | "retrieval-ended" }>,
): JournaledCommand {
  const { kind, retrieval } = command;
  switch (kind) {
    case "retrieve":
      return { kind, retrieval, question: "", language: command.language, chars: command.question.length };
    case "await-passages":
      return { kind, turnId: command.turnId, retrieval, waitMsMax: command.waitMsMax };
    case "passages-used": {
      const { turnId, tookMs, waitMs, passages } = command;
      return { kind, turnId, retrieval, tookMs, waitMs, passages: passages.map(withoutNames) };
    }
    case "retrieval-ended":
      return { kind, retrieval, outcome: command.outcome };
  }
}

function redactedTurn(given: TranscriptTurn): TranscriptTurn {
  const { role, startMs, endMs, interrupted, approximate, latency, retrieval } = given;
  const turn: TranscriptTurn = { role, text: "", startMs, endMs, interrupted };
  if (approximate !== undefined) turn.approximate = approximate;
  if (latency !== undefined) turn.latency = latency;
  if (retrieval !== undefined) turn.retrieval = redactedPassages(retrieval);
  return turn;
}

/** A command of a journal without anything that was said. */
export function journaledWithoutWords(command: JournaledCommand): JournaledCommand {
  switch (command.kind) {
    // Of a prompt and an interim the journal has only the length.
    case "generate-reply":
    case "preemptive-start":
    case "transcript":
    case "interim":
      return command;
    default:
      return commandWithoutWords(command);
  }
}

/** A record of a journal without anything that was said. */
export function recordWithoutWords(record: Exclude<JournalRecord, { kind: "header" }>): typeof record {
  if (record.kind === "event") return { ...record, event: eventWithoutWords(record.event) };
  if (record.kind === "command") return { ...record, command: journaledWithoutWords(record.command) };
  return record;
}

function redactedPause(command: Extract<CallCommand, { kind: "pause" | "rewind" | "resume" }>): JournaledCommand {
  const { kind, turnId } = command;
  if (kind === "pause") return { kind, turnId };
  return kind === "rewind" ? { kind, turnId, samples: command.samples } : { kind, turnId, reason: command.reason };
}

function redactedHold(
  command: Extract<CallCommand, { kind: "held" | "resumed" | "recording-resumed" }>,
): JournaledCommand {
  const { kind } = command;
  if (kind === "held") return { kind, msMax: command.msMax };
  return kind === "resumed"
    ? { kind, reason: command.reason, heldMs: command.heldMs, ...(command.clear === false && { clear: false }) }
    : { kind, pausedMs: command.pausedMs };
}

/** The command without anything that was said. */
export function commandWithoutWords(
  command: Exclude<CallCommand, { kind: "generate-reply" | "preemptive-start" }>,
): JournaledCommand {
  const { kind } = command;
  switch (kind) {
    case "speak": {
      const { turnId, segment, text, reason } = command;
      return { kind, turnId, segment, text: "", ...(reason === undefined ? {} : { reason }), chars: text.length };
    }
    case "mark":
      return { kind, name: command.name };
    case "cancel-reply":
      return {
        kind,
        turnId: command.turnId,
        clear: command.clear,
        reason: command.reason,
        speechMs: command.speechMs,
        heardText: "",
        chars: command.heardText.length,
      };
    case "conversation-trimmed": {
      const { turnId, droppedTurns, droppedMessages, truncatedResults, tokens, tokensMax } = command;
      return { kind, turnId, droppedTurns, droppedMessages, truncatedResults, tokens, tokensMax };
    }
    case "retrieve":
    case "await-passages":
    case "passages-used":
    case "retrieval-ended":
      return redactedRetrieval(command);
    case "preemptive-cancel":
    case "request-interim":
    case "finalize-stt":
    case "recording-paused":
      return { kind };
    case "pause":
    case "rewind":
    case "resume":
      return redactedPause(command);
    case "ignore": {
      const { text, startMs, endMs, reason } = command;
      return { kind, text: "", startMs, endMs, ...(reason === undefined ? {} : { reason }), chars: text.length };
    }
    case "turn-ended": {
      // The reasons name forms, never words.
      const { pauseMs, waitMs, probability, reasons, summary } = command;
      return { kind, pauseMs, waitMs, probability, reasons, summary };
    }
    case "state": {
      const { state, latency } = command;
      return { kind, state, ...(latency === undefined ? {} : { latency }) };
    }
    case "turn":
      return { kind, turn: redactedTurn(command.turn), chars: command.turn.text.length };
    case "transcript": {
      const { role, text, final, turnId, approximate } = command;
      const approximateField = approximate === undefined ? {} : { approximate };
      return { kind, role, text: "", final, turnId, ...approximateField, chars: text.length };
    }
    case "run-tool":
      return { kind, turnId: command.turnId, toolCallId: command.toolCallId, name: command.name, arguments: {} };
    case "send-dtmf":
      return { kind, digits: "", ...(command.inBand && { inBand: true }), chars: command.digits.length };
    case "language":
      return { kind, language: command.language, reason: command.reason };
    case "transfer":
      return { kind, target: "", chars: command.target.length };
    case "held":
    case "resumed":
    case "recording-resumed":
      return redactedHold(command);
    case "interim":
      return { kind, text: "", startMs: command.startMs, chars: command.text.length };
    case "utterance": {
      const { text, startMs, endMs, language } = command;
      return { kind, text: "", startMs, endMs, ...(language !== undefined && { language }), chars: text.length };
    }
    case "end":
      return { kind, reason: command.reason, ...(command.audioMs !== undefined && { audioMs: command.audioMs }) };
  }
}

/** The name of an existing tool; any other is the LLM's own words. */
const builtInToolName = (name: string): string => BUILT_IN_TOOLS.find((tool) => tool === name) ?? "";
