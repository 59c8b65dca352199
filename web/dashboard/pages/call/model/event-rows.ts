import type { CallEvent } from "./types.ts";

/** Kinds of events by what they are about, in the order of the filter. */
const GROUPS = {
  Caller: [
    "speech-started",
    "speech-ended",
    "stt-interim",
    "stt-final",
    "request-interim",
    "prosody",
    "turn-model",
    "dtmf",
    "typed",
    "turn-ended",
    "ignore",
  ],
  LLM: [
    "generate-reply",
    "preemptive-start",
    "preemptive-cancel",
    "conversation-trimmed",
    "context-exceeded",
    "reply-text",
    "reply-tool-call",
    "reply-end",
    "reply-failed",
  ],
  Corpora: ["retrieve", "await-passages", "passages", "passages-used", "retrieval-ended", "retrieval-failed"],
  Tools: ["run-tool", "tool-result"],
  TTS: ["speak", "segment-audio", "segment-end", "segment-failed", "voice-chosen", "phrases-chosen"],
  Playout: [
    "playout-started",
    "playout-ended",
    "mark",
    "cleared",
    "pause",
    "resume",
    "rewind",
    "cancel-reply",
    "send-dtmf",
    "dtmf-requested",
  ],
} as const satisfies Readonly<Record<string, readonly CallEvent["kind"][]>>;

/** All that is in no other group. */
const CALL_GROUP = "Call";
export const EVENT_GROUPS = [...Object.keys(GROUPS), CALL_GROUP] as const;

const GROUP_OF = new Map<string, string>(
  Object.entries(GROUPS).flatMap(([group, kinds]) => kinds.map((kind) => [kind, group])),
);

export const groupOf = ({ kind }: CallEvent): string => GROUP_OF.get(kind) ?? CALL_GROUP;

/** Kinds that come many times a second and say little: they are left out unless they are asked for. */
const FINE: readonly CallEvent["kind"][] = ["segment-audio", "reply-text", "stt-interim", "tick", "prosody"];

export interface EventFilter {
  /** Of EVENT_GROUPS; all by default. */
  readonly group: string | undefined;
  readonly isFine: boolean;
}

/** The places of the events that a filter leaves. */
export function filteredEvents(events: readonly CallEvent[], { group, isFine }: EventFilter): number[] {
  const places: number[] = [];
  for (const [place, event] of events.entries()) {
    if ((group === undefined || groupOf(event) === group) && (isFine || !FINE.includes(event.kind))) places.push(place);
  }
  return places;
}

/** The fields that every event has. */
const COMMON: readonly string[] = ["atMs", "source", "kind"];

/** The fields of an event on one line. */
export function fieldsText(event: CallEvent): string {
  const fields = Object.entries(event).filter(([name]) => !COMMON.includes(name));
  return fields.map(([name, value]) => `${name}: ${valueText(value)}`).join("  ");
}

const valueText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
