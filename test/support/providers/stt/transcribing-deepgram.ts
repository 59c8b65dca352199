import type { WebSocket } from "ws";
import { WatermarkDecoder } from "../../../../src/speech/reference/watermark/decoder.ts";
import { fakeDeepgram, results } from "./deepgram.ts";
import { type SttServer, sendMessage } from "./stt-server.ts";

/** Longer than the pause between two words. */
const QUIET_MS = 250;

/** What one stream has heard, of audio at `rateHz`. */
class Hearing {
  readonly #rateHz: number;
  readonly #decoder: WatermarkDecoder;
  #samples = 0;
  /** Where the segment begins that is not settled. */
  #fromS = 0;
  #text = "";

  constructor(rateHz: 8_000 | 16_000, onWord: () => void) {
    this.#rateHz = rateHz;
    this.#decoder = new WatermarkDecoder(rateHz, QUIET_MS, {
      onWord: (word) => {
        this.#text = this.#text === "" ? word : `${this.#text} ${word}`;
        onWord();
      },
      onQuiet: () => {},
    });
  }

  /** Signed 16-bit little-endian. */
  write(audio: Buffer): void {
    const samples = new Int16Array(audio.length / 2);
    for (let at = 0; at < samples.length; at += 1) samples[at] = audio.readInt16LE(at * 2);
    this.#samples += samples.length;
    this.#decoder.write(samples);
  }

  /** The segment as it stands, as a result. */
  interim(): object {
    return results(this.#text, [this.#fromS, this.#samples / this.#rateHz]);
  }

  /** The same as it will stay; what comes behind is of the next. */
  settled(): object {
    const toS = this.#samples / this.#rateHz;
    const result = results(this.#text, [this.#fromS, toS], { final: true, fromFinalize: true });
    this.#fromS = toS;
    this.#text = "";
    return result;
  }
}

/**
 * Deepgram as it hears the simulated callers: what they say carries its words as data (the reference voice), and those are told word by
 * word, in Deepgram's own form. `finalMs` is how long it takes from Finalize to the final result.
 */
export function transcribingDeepgram({
  rateHz,
  finalMs,
}: {
  rateHz: 8_000 | 16_000;
  finalMs: number;
}): Promise<SttServer> {
  const hearings = new Map<WebSocket, Hearing>();
  const hearingOf = (socket: WebSocket): Hearing => {
    const hearing = hearings.get(socket) ?? new Hearing(rateHz, () => sendMessage(hearingOf(socket).interim())(socket));
    hearings.set(socket, hearing);
    return hearing;
  };
  return fakeDeepgram({
    onAudio: (socket, audio) => hearingOf(socket).write(audio),
    answers: {
      Finalize: (socket) => void setTimeout(() => sendMessage(hearingOf(socket).settled())(socket), finalMs),
    },
  });
}
