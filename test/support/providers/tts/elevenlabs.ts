import type { ServerResponse } from "node:http";
import type { WebSocket } from "ws";
import { mulawEncode } from "../../../../src/media/g711.ts";
import type { TimedWord } from "../../../../src/speech/contracts.ts";
import { type FakeSpeech, fakeSpeech, pcmOf } from "./fake-speech.ts";
import { type ReceivedTtsRequest, TtsServer, type TtsServerOptions } from "./tts-server.ts";

export interface FakeElevenLabsOptions extends TtsServerOptions {
  /** The text as it is read out, in `normalizedAlignment`; by default the text itself. */
  readOut?: (text: string) => string;
  /** `first`: all timestamps come with the first audio; `none`: never. */
  alignment?: "each" | "first" | "none";
  /** The rate of its audio, whatever the request. */
  rateHz?: number;
  /** Pages of `GET /v2/voices`. */
  voicePages?: readonly (readonly unknown[])[];
}

export const ELEVENLABS_VOICE = {
  voice_id: "JBFqnCBsd6RMkjVDRZzb",
  name: "George",
  category: "premade",
  labels: { accent: "british", gender: "male", language: "en" },
  verified_languages: [{ language: "en", model_id: "eleven_flash_v2_5", accent: "british", locale: "en-GB" }],
};

/** The characters of one part of the speech, with timestamps from its own beginning. */
function alignmentOf(words: readonly TimedWord[], all: FakeSpeech, fromMs: number): object {
  const chars: string[] = [];
  const charStartTimesMs: number[] = [];
  const charDurationsMs: number[] = [];
  for (const { text, startMs, endMs } of words) {
    const perCharMs = (endMs - startMs) / text.length;
    for (const [index, char] of [...text].entries()) {
      chars.push(char);
      charStartTimesMs.push(startMs + index * perCharMs - fromMs);
      charDurationsMs.push(perCharMs);
    }
    const next = all.words.find((word) => word.startMs > startMs);
    chars.push(" ");
    charStartTimesMs.push(endMs - fromMs);
    charDurationsMs.push((next?.startMs ?? endMs) - endMs);
  }
  return { chars, charStartTimesMs, charDurationsMs };
}

/** ElevenLabs' `stream-input` and its list of voices; see fixtures/provider/README.md. */
export class FakeElevenLabs extends TtsServer {
  readonly #fake: FakeElevenLabsOptions;
  #text = "";

  constructor(options: FakeElevenLabsOptions = {}) {
    super(options);
    this.#fake = options;
  }

  protected override onMessage(socket: WebSocket, message: Readonly<Record<string, unknown>>, path: string): void {
    if (message.text === " ") this.#text = "";
    else if (message.text !== "") this.#text += String(message.text);
    else void this.#speak(socket, this.#text.trim(), new URL(path, this.url).searchParams.get("output_format") ?? "");
  }

  protected override onHttp({ url }: ReceivedTtsRequest, response: ServerResponse): void {
    const pages = this.#fake.voicePages ?? [[ELEVENLABS_VOICE]];
    const page = Number(url.searchParams.get("next_page_token") ?? 0);
    const has_more = page + 1 < pages.length;
    const body = { voices: pages[page], has_more, total_count: 0, next_page_token: has_more ? String(page + 1) : null };
    response.writeHead(url.pathname === "/v2/voices" ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  }

  /** Sends messages of whole words, so that the timestamps of each begin with its audio. */
  async #speak(socket: WebSocket, text: string, format: string): Promise<void> {
    const { fault, chunkMs } = this.options;
    const { alignment = "each", readOut = (unchanged) => unchanged } = this.#fake;
    const rateHz = this.#fake.rateHz ?? Number(format.split("_")[1]);
    const speech = fakeSpeech(readOut(text), rateHz);
    const groups: TimedWord[][] = [];
    for (const word of speech.words) {
      const group = groups.at(-1);
      if (group === undefined || word.endMs - (group[0] as TimedWord).startMs > chunkMs) groups.push([word]);
      else group.push(word);
    }
    const encode = (samples: Int16Array): Buffer => {
      if (!format.startsWith("ulaw")) return pcmOf(samples);
      const bytes = Buffer.alloc(samples.length);
      mulawEncode(samples, bytes);
      return bytes;
    };
    const messages: object[] = groups.map((group, index) => {
      const fromMs = (group[0] as TimedWord).startMs;
      const toMs = groups[index + 1]?.[0]?.startMs ?? (speech.samples.length * 1_000) / rateHz;
      const audio = encode(speech.samples.slice((fromMs * rateHz) / 1_000, (toMs * rateHz) / 1_000)).toString("base64");
      const each = alignmentOf(group, speech, fromMs);
      const first = index === 0 ? alignmentOf(speech.words, speech, 0) : null;
      const timestamps = { each, first, none: null }[alignment];
      return { audio, isFinal: null, normalizedAlignment: timestamps, alignment: timestamps };
    });
    const final = { audio: null, isFinal: true, normalizedAlignment: null, alignment: null };
    const wrong = fault?.kind === "audio" ? this.parts(fault.bytes, (rateHz * 2) / 1_000) : undefined;
    const sent = wrong?.map((part) => ({ audio: part.toString("base64"), isFinal: null, alignment: null })) ?? messages;
    await this.deliver(socket, [...sent, final]);
  }
}
