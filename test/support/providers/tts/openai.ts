import { once } from "node:events";
import type { ServerResponse } from "node:http";
import wavefile from "wavefile";
import { fakeSpeech, pcmOf } from "./fake-speech.ts";
import { type ReceivedTtsRequest, TtsServer, type TtsServerOptions } from "./tts-server.ts";

export interface FakeOpenAiSpeechOptions extends TtsServerOptions {
  /** What it sends: a WAV file of known length, one of unknown length, or raw samples. */
  format?: "wav" | "streamed-wav" | "pcm";
  rateHz?: number;
  contentType?: string;
  /** Bytes before the samples, instead of a WAV header. */
  head?: Buffer;
  /** Bytes after the samples. */
  tail?: Buffer;
  /** Bytes per write. */
  writeBytes?: number;
  voices?: readonly unknown[];
}

/** The header of a WAV file; `bytes` is the length of the samples that it states. */
export function wavHead(rateHz: number, bytes: number, { channels = 1, bits = 16 } = {}): Buffer {
  const empty = new wavefile.WaveFile();
  empty.fromScratch(channels, rateHz, String(bits), []);
  const head = Buffer.from(empty.toBuffer());
  head.writeUInt32LE(bytes === 0xffffffff ? bytes : bytes + 36, 4);
  head.writeUInt32LE(bytes, 40);
  return head;
}

/** OpenAI's `/v1/audio/speech`, and Kokoro-FastAPI's list of voices; see fixtures/provider/README.md. */
export class FakeOpenAiSpeech extends TtsServer {
  readonly #fake: FakeOpenAiSpeechOptions;

  constructor(options: FakeOpenAiSpeechOptions = {}) {
    super(options);
    this.#fake = options;
  }

  protected override onMessage(): void {
    throw new Error("it has no WebSockets");
  }

  protected override onHttp({ method, url, body, closed }: ReceivedTtsRequest, response: ServerResponse): void {
    if (method === "GET" && url.pathname === "/v1/audio/voices") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ voices: this.#fake.voices ?? [{ id: "af_heart", name: "af_heart" }] }));
    } else if (method === "POST" && url.pathname === "/v1/audio/speech") {
      void this.#speak(JSON.parse(body) as { input: string }, response, closed);
    } else {
      response.writeHead(404).end();
    }
  }

  async #speak({ input }: { input: string }, response: ServerResponse, closed: Promise<unknown>): Promise<void> {
    const { firstMs, perChunkMs, fault, chunkMs } = this.options;
    const { format = "streamed-wav", rateHz = 24_000, tail = Buffer.alloc(0) } = this.#fake;
    const contentType = this.#fake.contentType ?? (format === "pcm" ? "audio/pcm" : "audio/wav");
    const samples = fault?.kind === "audio" ? fault.bytes : pcmOf(fakeSpeech(input, rateHz).samples);
    const usual = {
      wav: wavHead(rateHz, samples.length),
      "streamed-wav": wavHead(rateHz, 0xffffffff),
      pcm: Buffer.alloc(0),
    };
    const file = Buffer.concat([this.#fake.head ?? usual[format], samples, tail]);
    const writeBytes = this.#fake.writeBytes ?? (chunkMs * rateHz * 2) / 1_000;
    response.writeHead(200, { "content-type": contentType });
    response.flushHeaders();
    for (let at = 0, index = 0; at < file.length; at += writeBytes, index += 1) {
      const waitMs = index === 0 ? firstMs : perChunkMs;
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (response.destroyed) return;
      if (fault?.kind === "hangs" && index === fault.afterChunks) return;
      if (fault?.kind === "closes" && index === fault.afterChunks) {
        response.destroy();
        return;
      }
      // Waits for a client that does not read.
      if (!response.write(file.subarray(at, at + writeBytes))) {
        await Promise.race([once(response, "drain"), closed]);
      }
    }
    response.end();
  }
}
