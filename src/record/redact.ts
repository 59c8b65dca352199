import type { CallCommand } from "../call/events.ts";
import { BUILT_IN_TOOLS, type TranscriptTurn } from "../core/call-spec.ts";
import { PHRASE_NAMES, type PhraseName } from "../core/phrases.ts";
import { ICU } from "../core/software.ts";
import type {
  JournaledCommand,
  JournaledEvent,
  JournalHeader,
  JournalStart,
  OccasionalEvent,
} from "./journal-records.ts";

/*
 * What may be written of a call. Of one that is not recorded everything is left out that either side said, typed or keyed, or
 * that a model or a peer made up; counts, times and kinds stay. Each object is built field by field, so that a field that is
 * added to an event one day is left out until somebody decides otherwise here.
 */

export function journalHeader(software: string, start: JournalStart): JournalHeader {
  const { callId, accountId, startedAt, leg, earHasPartials, parameters, promptTokensMax, spec } = start;
  const bound = promptTokensMax === undefined ? {} : { promptTokensMax };
  const header = { software, icu: ICU, callId, accountId, startedAt, leg, earHasPartials, parameters, ...bound };
  return spec.recordingEnabled ? { ...header, spec } : header;
}

export const journaledEvent = (event: OccasionalEvent, recorded: boolean): JournaledEvent =>
  recorded ? event : eventWithoutWords(event);

export function journaledCommand(command: CallCommand, recorded: boolean): JournaledCommand {
  if (command.kind === "ask") {
    const { kind, turnId, messages, language } = command;
    return { kind, turnId, messages: messages.length, language };
  }
  if (command.kind === "ask-ahead") {
    const { kind, messages, language } = command;
    return { kind, messages: messages.length, language };
  }
  return recorded ? command : commandWithoutWords(command);
}

function eventWithoutWords(event: OccasionalEvent): JournaledEvent {
  const { kind } = event;
  switch (kind) {
    case "tick":
    case "pong":
      return { kind };
    case "leg-started": {
      const { codec, carrierCallId } = event;
      return { kind, codec, ...(carrierCallId === undefined ? {} : { carrierCallId }) };
    }
    case "leg-closed":
    case "end-requested":
    case "goodbye-requested":
      return { kind, reason: event.reason };
    case "mark":
      return { kind, name: "", chars: event.name.length };
    case "cleared":
      return { kind, playedMs: event.playedMs };
    case "dtmf":
      return { kind, digit: "", chars: event.digit.length };
    case "voice-chosen":
      return { kind, language: event.language, voiceId: event.voiceId, speaksIt: event.speaksIt };
    case "phrases-chosen": {
      // They may be an LLM's words.
      const phrases = Object.fromEntries(PHRASE_NAMES.map((name) => [name, ""])) as Record<PhraseName, string>;
      return { kind, language: event.language, origin: event.origin, phrases };
    }
    case "provider-switched":
      return { kind, engine: event.engine, from: event.from, to: event.to, code: event.code };
    case "context-exceeded":
      return { kind, provider: event.provider, tokensMax: event.tokensMax, retried: event.retried };
    case "used":
      return { kind, engine: event.engine, provider: event.provider, usage: event.usage };
    case "limit-reached":
      return { kind, scope: event.scope, limit: event.limit, action: event.action };
    case "tool-result":
      return {
        kind,
        turnId: event.turnId,
        key: event.key,
        result: "",
        failed: event.failed,
        chars: event.result.length,
      };
    case "typed":
      return { kind, text: "", chars: event.text.length };
    case "ear-partial":
    case "ear-final": {
      const { text, language } = event;
      return { kind, text: "", chars: text.length, ...(language === undefined ? {} : { language }) };
    }
    case "ear-failed":
    case "internal-error":
      return { kind, code: event.code };
    case "reply-text":
      return { kind, turnId: event.turnId, text: "", chars: event.text.length };
    case "reply-tool": {
      const { turnId, name, argumentsJson } = event;
      return { kind, turnId, id: "", name: knownTool(name), argumentsJson: "", chars: argumentsJson.length };
    }
    case "reply-end":
      return { kind, turnId: event.turnId };
    case "reply-failed":
      return { kind, turnId: event.turnId, code: event.code };
    case "piece-audio": {
      const { turnId, piece, samples, words } = event;
      return { kind, turnId, piece, samples, words: [], wordCount: words.length };
    }
    case "piece-end":
      return { kind, turnId: event.turnId, piece: event.piece, samples: event.samples };
    case "piece-failed":
      return { kind, turnId: event.turnId, piece: event.piece, code: event.code };
  }
}

function commandWithoutWords(command: Exclude<CallCommand, { kind: "ask" | "ask-ahead" }>): JournaledCommand {
  const { kind } = command;
  switch (kind) {
    case "speak": {
      const { turnId, piece, text, reason } = command;
      return { kind, turnId, piece, text: "", ...(reason === undefined ? {} : { reason }), chars: text.length };
    }
    case "mark":
      return { kind, name: command.name };
    case "cut":
      return {
        kind,
        turnId: command.turnId,
        clear: command.clear,
        reason: command.reason,
        voicedMs: command.voicedMs,
        heardText: "",
        chars: command.heardText.length,
      };
    case "conversation-trimmed": {
      const { turnId, droppedTurns, droppedMessages, cutResults, tokens, tokensMax } = command;
      return { kind, turnId, droppedTurns, droppedMessages, cutResults, tokens, tokensMax };
    }
    case "forget-ahead":
      return { kind };
    case "pause":
      return { kind, turnId: command.turnId };
    case "resume":
      return { kind, turnId: command.turnId, reason: command.reason };
    case "pass-over": {
      const { text, startMs, endMs } = command;
      return { kind, text: "", startMs, endMs, chars: text.length };
    }
    case "state": {
      const { state, latency } = command;
      return { kind, state, ...(latency === undefined ? {} : { latency }) };
    }
    case "turn": {
      const { role, text, startMs, endMs, interrupted, approximate, latency } = command.turn;
      const turn: TranscriptTurn = { role, text: "", startMs, endMs, interrupted };
      if (approximate !== undefined) turn.approximate = approximate;
      if (latency !== undefined) turn.latency = latency;
      return { kind, turn, chars: text.length };
    }
    case "tool":
      return { kind, turnId: command.turnId, key: command.key, name: command.name, arguments: {} };
    case "send-dtmf":
      return { kind, digits: "", chars: command.digits.length };
    case "language":
      return { kind, language: command.language, reason: command.reason };
    case "transfer":
      return { kind, target: "", chars: command.target.length };
    case "end":
      return { kind, reason: command.reason };
  }
}

/** The name of a tool that there is; any other is the model's own words. */
const knownTool = (name: string): string => BUILT_IN_TOOLS.find((tool) => tool === name) ?? "";
