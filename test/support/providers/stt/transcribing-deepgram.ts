import type { WebSocket } from "ws";
import { WatermarkDecoder } from "../../../../src/speech/reference/watermark/decoder.ts";
import { fakeDeepgram, results } from "./deepgram.ts";
import { type SttServer, sendMessage } from "./stt-server.ts";

/** Longer than the pause between two words. */
const QUIET_MS = 250;

/** The transcript of one stream, of audio at `rateHz`. */
class Transcription {
  readonly #rateHz: number;
  readonly #decoder: WatermarkDecoder;
  #samples = 0;
  /** The start of the segment that is not final. */
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

  /** The current segment as an interim result. */
  interim(): object {
    return results(this.#text, [this.#fromS, this.#samples / this.#rateHz]);
  }

  /** The current segment as a final result; starts the next segment. */
  final(): object {
    const toS = this.#samples / this.#rateHz;
    const result = results(this.#text, [this.#fromS, toS], { final: true, fromFinalize: true });
    this.#fromS = toS;
    this.#text = "";
    return result;
  }
}

/**
 * A fake Deepgram for simulated callers: it decodes the audio watermark of the reference TTS and sends the words one by
 * one, in Deepgram's format; with `finalsOnly`, all at once. `finalMs` is the time from Finalize to the final result.
 */
export function transcribingDeepgram({
  rateHz,
  finalMs,
  finalsOnly = false,
}: {
  rateHz: 8_000 | 16_000;
  finalMs: number;
  finalsOnly?: boolean;
}): Promise<SttServer> {
  const transcriptions = new Map<WebSocket, Transcription>();
  const transcriptionOf = (socket: WebSocket): Transcription => {
    const transcription =
      transcriptions.get(socket) ??
      new Transcription(rateHz, () => {
        if (!finalsOnly) sendMessage(transcriptionOf(socket).interim())(socket);
      });
    transcriptions.set(socket, transcription);
    return transcription;
  };
  return fakeDeepgram({
    onAudio: (socket, audio) => transcriptionOf(socket).write(audio),
    answers: {
      Finalize: (socket) => void setTimeout(() => sendMessage(transcriptionOf(socket).final())(socket), finalMs),
    },
  });
}
