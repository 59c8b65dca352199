import type { WebSocket } from "ws";
import { mulawDecode } from "../../../../src/media/g711.ts";
import { SttServer, type SttServerAction, type SttServerOptions, sendMessage } from "./stt-server.ts";

const TRANSCRIPTION = "conversation.item.input_audio_transcription";

/** One event of OpenAI's `/v1/realtime`, in the shape of its documentation. */
export const realtimeEvent = (type: string, fields: object = {}): object => ({ event_id: "event_1", type, ...fields });

export const speechStopped = (item_id: string): object =>
  realtimeEvent("input_audio_buffer.speech_stopped", { item_id, audio_end_ms: 1_000 });
export const committed = (item_id: string): object =>
  realtimeEvent("input_audio_buffer.committed", { item_id, previous_item_id: null });
export const delta = (item_id: string, words: string): object =>
  realtimeEvent(`${TRANSCRIPTION}.delta`, { item_id, content_index: 0, delta: words });
/** `languages`: what `gpt-transcribe` detected, as codes. */
export const completed = (item_id: string, transcript: string, languages?: readonly string[]): object =>
  realtimeEvent(`${TRANSCRIPTION}.completed`, {
    item_id,
    content_index: 0,
    transcript,
    usage: { type: "duration", seconds: 1 },
    ...(languages === undefined ? {} : { languages: languages.map((code) => ({ code })) }),
  });
export const failed = (item_id: string): object =>
  realtimeEvent(`${TRANSCRIPTION}.failed`, {
    item_id,
    content_index: 0,
    error: { type: "server_error", code: "transcription_failed", message: "my secret words" },
  });
export const realtimeError = (code: string): object =>
  realtimeEvent("error", { error: { type: "invalid_request_error", code, message: "my secret words", param: null } });
export const NOTHING_TO_COMMIT = realtimeError("input_audio_buffer_commit_empty");

/** Less audio than this cannot be committed. */
const COMMIT_MS_MIN = 100;

interface RealtimeScript extends SttServerOptions {
  /** The transcripts of the items in order; empty ones follow. */
  transcripts?: readonly string[];
  /** Words of the item that is not committed, at these times of the audio. */
  deltas?: readonly { atMs: number; words: string }[];
  /** When semantic VAD finds the end of a turn, ms of audio. */
  turnEndsAtMs?: readonly number[];
}

/** One session: it has an item at a time that is not committed. */
class RealtimeSession {
  readonly #transcripts: string[];
  readonly #bytesPerMs: number;
  #isMulaw = false;
  #uncommittedBytes = 0;
  #items = 0;

  constructor(transcripts: readonly string[], rateHz: number) {
    this.#transcripts = [...transcripts];
    this.#bytesPerMs = (rateHz / 1_000) * Int16Array.BYTES_PER_ELEMENT;
  }

  get itemId(): string {
    return `item_${this.#items}`;
  }

  audioIn(message: Readonly<Record<string, unknown>>): Buffer | undefined {
    if (message.type === "session.update") this.#isMulaw = JSON.stringify(message).includes("audio/pcmu");
    if (message.type !== "input_audio_buffer.append") return undefined;
    const bytes = Buffer.from(String(message.audio), "base64");
    const audio = this.#isMulaw ? decoded(bytes) : bytes;
    this.#uncommittedBytes += audio.length;
    return audio;
  }

  commit(): object[] {
    if (this.#uncommittedBytes < COMMIT_MS_MIN * this.#bytesPerMs) return [NOTHING_TO_COMMIT];
    const id = this.itemId;
    this.#items += 1;
    this.#uncommittedBytes = 0;
    return [committed(id), completed(id, this.#transcripts.shift() ?? "")];
  }

  /** What semantic VAD does. */
  endTurn(): object[] {
    return [speechStopped(this.itemId), ...this.commit()];
  }
}

function decoded(codes: Buffer): Buffer {
  const samples = new Int16Array(codes.length);
  mulawDecode(codes, samples);
  return Buffer.from(samples.buffer);
}

export function fakeOpenAiRealtime(script: RealtimeScript = {}): Promise<SttServer> {
  // Mu-law; PCM has 24,000.
  const { rateHz = 8_000, transcripts = [], deltas = [], turnEndsAtMs = [], ...options } = script;
  const sessions = new Map<WebSocket, RealtimeSession>();
  const sessionOf = (socket: WebSocket): RealtimeSession => {
    const session = sessions.get(socket) ?? new RealtimeSession(transcripts, rateHz);
    sessions.set(socket, session);
    return session;
  };
  const act =
    (messages: (session: RealtimeSession) => readonly object[]): SttServerAction =>
    (socket) =>
      sendMessage(...messages(sessionOf(socket)))(socket);
  const steps = [
    ...(options.steps ?? []),
    ...deltas.map(({ atMs, words }) => ({ atMs, act: act(({ itemId }) => [delta(itemId, words)]) })),
    ...turnEndsAtMs.map((atMs) => ({ atMs, act: act((session) => session.endTurn()) })),
  ];
  return SttServer.listen({
    rateHz,
    greeting: sendMessage(realtimeEvent("session.created", { session: { type: "transcription" } })),
    audioIn: (message, socket) => sessionOf(socket).audioIn(message),
    ...options,
    steps: steps.toSorted((a, b) => a.atMs - b.atMs),
    answers: {
      "session.update": sendMessage(realtimeEvent("session.updated", { session: { type: "transcription" } })),
      "input_audio_buffer.commit": act((session) => session.commit()),
      ...options.answers,
    },
  });
}
