import type { ServerResponse } from "node:http";
import type { WebSocket } from "ws";
import { mulawEncode } from "../../../../src/media/g711.ts";
import { fakeSpeech, pcmOf } from "./fake-speech.ts";
import { type ReceivedTtsRequest, TtsServer, type TtsServerOptions } from "./tts-server.ts";

export interface FakeCartesiaOptions extends TtsServerOptions {
  /** Sends no word timestamps. */
  withoutTimes?: boolean;
  /** The rate of its audio, whatever the request. */
  rateHz?: number;
  /** Every context ends with this error instead of its audio. */
  error?: { status_code: number; error_code: string | null; title: string; message: string };
  /** Pages of `GET /voices`. */
  voicePages?: readonly (readonly unknown[])[];
}

export const CARTESIA_VOICE = {
  id: "a0e99841-438c-4a64-b679-ae501e7d6091",
  name: "Barbershop Man",
  description: "A voice",
  language: "en",
  country: "US",
  is_owner: false,
  is_public: true,
  created_at: "2026-01-01T00:00:00Z",
  locales: [
    { locale: "es-MX", is_native: false },
    { locale: "en-US", is_native: true },
  ],
};

interface GenerationRequest {
  context_id: string;
  transcript: string;
  output_format: { encoding: string; sample_rate: number };
  add_timestamps: boolean;
}

/** Cartesia's `/tts/websocket` and its list of voices; see fixtures/provider/README.md. */
export class FakeCartesia extends TtsServer {
  readonly #fake: FakeCartesiaOptions;
  readonly cancelled = new Set<string>();

  constructor(options: FakeCartesiaOptions = {}) {
    super(options);
    this.#fake = options;
  }

  protected override onMessage(socket: WebSocket, message: Readonly<Record<string, unknown>>): void {
    if (message.cancel === true) this.cancelled.add(String(message.context_id));
    else void this.#speak(socket, message as unknown as GenerationRequest);
  }

  protected override onHttp({ url }: ReceivedTtsRequest, response: ServerResponse): void {
    const pages = this.#fake.voicePages ?? [[CARTESIA_VOICE]];
    const after = url.searchParams.get("starting_after");
    const page = 1 + pages.findIndex((voices) => (voices.at(-1) as { id?: string } | undefined)?.id === after);
    response.writeHead(url.pathname === "/voices" ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: pages[page], has_more: page + 1 < pages.length }));
  }

  async #speak(socket: WebSocket, { context_id, transcript, output_format }: GenerationRequest): Promise<void> {
    const { fault } = this.options;
    const { error, withoutTimes = false } = this.#fake;
    const { encoding, sample_rate: rateHz } = {
      ...output_format,
      ...(this.#fake.rateHz && { sample_rate: this.#fake.rateHz }),
    };
    const bytesPerMs = (rateHz / 1_000) * (encoding === "pcm_mulaw" ? 1 : 2);
    if (error !== undefined) {
      await this.deliver(socket, [{ type: "error", done: true, context_id, ...error }]);
      return;
    }
    const { samples, words } = fakeSpeech(transcript, rateHz);
    const bytes = encoding === "pcm_mulaw" ? Buffer.alloc(samples.length) : pcmOf(samples);
    if (encoding === "pcm_mulaw") mulawEncode(samples, bytes);
    const parts = this.parts(fault?.kind === "audio" ? fault.bytes : bytes, bytesPerMs);
    const chunkMs = this.options.chunkMs;
    const messages = parts.flatMap((part, index) => {
      const chunk = {
        type: "chunk",
        data: part.toString("base64"),
        done: false,
        status_code: 206,
        step_time: 1,
        context_id,
      };
      const begun = words.filter(({ startMs }) => Math.floor(startMs / chunkMs) === index);
      if (withoutTimes || begun.length === 0) return [chunk];
      const word_timestamps = {
        // Without the punctuation around them, as in the documentation.
        words: begun.map(({ text }) => text.replace(/^\P{L}+|[.,:;?!]+$/gu, "") || text),
        start: begun.map(({ startMs }) => startMs / 1_000),
        end: begun.map(({ endMs }) => endMs / 1_000),
      };
      return [{ type: "timestamps", done: false, status_code: 206, context_id, word_timestamps }, chunk];
    });
    await this.deliver(socket, [...messages, { type: "done", done: true, status_code: 206, context_id }]);
  }
}
