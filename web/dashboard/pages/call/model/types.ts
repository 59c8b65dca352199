import type { Schema } from "../../../../client/src/types.ts";

export type Call = Schema<"Call">;
export type CallEvent = Schema<"CallEvent">;
export type Turn = Schema<"Turn">;
export type TurnLatency = NonNullable<Turn["latency"]>;
export type PassageReference = Schema<"PassageReference">;

/** The event or command of one kind. Of the two kinds that have a name in common, `mark`, both. */
export type EventOf<Kind extends CallEvent["kind"]> = Extract<CallEvent, { kind: Kind }>;

/** A part of the call, in ms since the media stream connected, as are all times of the page. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** What the model needs of a call beside its events. */
export interface CallFacts {
  readonly connectionType: Call["connectionType"];
  readonly configuration: Pick<Call["configuration"], "inactivityTimeout" | "firstSpeaker"> & {
    readonly websocket: { readonly outputSampleRate: number } | null;
  };
  /** Null while the call is live. */
  readonly durationMs: number | null;
  readonly endReason: Call["endReason"];
}

/** The rate of the agent's audio by connection type, Hz; that of a raw WebSocket is in its configuration. */
const CARRIER_RATE_HZ = 8_000;
const WEBRTC_RATE_HZ = 24_000;

/** The rate in which the events count samples of the agent's audio, Hz. */
export function outputRateHz({ connectionType, configuration }: CallFacts): number {
  if (connectionType === "webrtc") return WEBRTC_RATE_HZ;
  return configuration.websocket?.outputSampleRate ?? CARRIER_RATE_HZ;
}
