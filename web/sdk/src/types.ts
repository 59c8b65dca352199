import type { CallErrorCode } from "./errors.ts";

/** Where the audio travels: `rtp` by WebRTC, `websocket` as binary messages of the call's socket. */
export type AudioPath = "rtp" | "websocket";

/**
 * What the call does. `idle` until `start()`, `connecting` until `ready`, then what the agent does; `held` while the caller is on hold; `reconnecting` while the
 * connection is lost and may come back; `ended` for good.
 */
export type CallState =
  | "idle"
  | "connecting"
  | "listening"
  | "thinking"
  | "speaking"
  | "held"
  | "reconnecting"
  | "ended";

/** A call that the SDK starts itself, with a publishable key, from a page of one of its origins. */
export interface PublishableSession {
  /** The address of the service without a path, as `https://voice.example.com`. */
  apiUrl: string;
  agentId: string;
  /** `pk_...`; it is no secret. */
  publishableKey: string;
  /** Values of the agent's variables. */
  variables?: Readonly<Record<string, string | number | boolean>>;
}

/** Where the call comes from: a `websocketUrl` that your server has made, or a session, of which the SDK makes one. */
export type CallSource =
  | { url: string; session?: never }
  | { session: PublishableSession | (() => Promise<{ websocketUrl: string }>); url?: never };

export interface CallOptions {
  /** By default WebRTC where the service and the browser have it; `websocket` never tries it. */
  transport?: "webrtc" | "websocket";
  /** Whether a lost connection is opened again within 15 s; true by default. */
  resume?: boolean;
  /** More constraints of the microphone; echo cancellation, noise suppression and gain control are on by default. */
  audio?: MediaTrackConstraints;
  /** False: no microphone is asked for, and the caller types. True by default. */
  microphone?: boolean;
  /** Where the file `worklet.js` of this package is served; by default beside the SDK's own file. */
  workletUrl?: string | URL;
}

/** The milliseconds of the stages of a turn, as the service measured them; null where a stage was not needed. */
export type TurnLatency = Readonly<Record<string, number | null>>;

export interface ReadyDetail {
  callId: string;
  transport: AudioPath;
}

export interface StateDetail {
  state: CallState;
  /** With `speaking`, where the service tells it. */
  latency?: TurnLatency;
}

export interface TranscriptDetail {
  role: "agent" | "user";
  /** All of the turn so far. Once `final`, an agent's text is what was heard. */
  text: string;
  final: boolean;
  turnId: string;
  /** The end of `text` is an estimate. */
  approximate?: boolean;
}

export interface MarkDetail {
  /** `<turn>.<segment>`: where a segment of the agent's words ends, which is a sentence or a long part of one. */
  name: string;
  /** False when the audio before the mark has arrived, true when it has been played. Audio that is cleared is never played. */
  played: boolean;
}

/** From 0, which is silence (-60 dBFS or less), to 1, which is full scale; linear in dB. */
export interface VolumeDetail {
  /** Of the microphone. */
  input: number;
  /** Of the agent. */
  output: number;
}

export interface ErrorDetail {
  code: CallErrorCode;
  /** A sentence for people. */
  message: string;
  /** Whether the call is over, or did not start. */
  fatal: boolean;
  /** What the browser or the service said, for the console. */
  cause?: unknown;
}

export interface EndedDetail {
  /** An end reason of the service, as `agent_hangup`, or the code of the error that ended the call here. */
  reason: string;
}

/** The events of a call, by type. */
export interface CallEvents {
  /** Audio flows; again after each change of the audio's path and after a lost connection. */
  ready: CustomEvent<ReadyDetail>;
  state: CustomEvent<StateDetail>;
  transcript: CustomEvent<TranscriptDetail>;
  /** How far the agent's words have come. */
  mark: CustomEvent<MarkDetail>;
  /** About 20 times a second. */
  volume: CustomEvent<VolumeDetail>;
  error: CustomEvent<ErrorDetail>;
  ended: CustomEvent<EndedDetail>;
}

/** Carries out a tool of the agent in the page. What it returns must be JSON; a thrown error is given to the agent. */
export type ToolHandler = (args: Readonly<Record<string, unknown>>) => unknown;

export interface Device {
  /** For `setInputDevice` and `setOutputDevice`. */
  id: string;
  /** Empty until the caller has allowed the microphone. */
  label: string;
}

export interface Devices {
  inputs: readonly Device[];
  /** Empty where the browser does not let pages choose. */
  outputs: readonly Device[];
}
