import { providerFailed } from "../../../src/core/errors.ts";
import { NO_SPEECH, type SpeechActivity } from "../../../src/media/voice-activity/speech-activity.ts";
import type { Stt, SttEvent } from "../../../src/speech/contracts.ts";
import { EventQueue } from "../../../src/speech/event-queue.ts";

/** How many frames one word has, and the silence that ends an utterance. */
const WORD_FRAMES = 10;
const QUIET_FRAMES = 15;

interface CodedSttOptions {
  provider?: string;
  /** After how many frames each stream fails; the last number is repeated. Without it no stream fails. */
  failsAfter?: readonly number[];
  /** The cause of the failure. */
  cause?: unknown;
  partials?: boolean;
  /** How many frames after the end of an utterance the final transcript comes. */
  answersAfterFrames?: number;
  /** Utterances end when the call's speech does, not after a pause of their own. */
  endsWithSpeech?: boolean;
  /** The stream stays open but emits nothing. */
  deaf?: boolean;
}

/** `words` as frames for a CodedStt, 200 ms each, and then a pause that ends the utterance. */
export function coded(
  words: readonly string[],
  vocabulary: readonly string[],
): { frame: Int16Array; voiced: boolean }[] {
  const frames = words.flatMap((word) =>
    Array.from({ length: WORD_FRAMES }, () => ({ frame: frameOf(vocabulary.indexOf(word) + 1), voiced: true })),
  );
  return [...frames, ...silence(2 * QUIET_FRAMES)];
}

export const silence = (frames: number) => Array.from({ length: frames }, () => ({ frame: frameOf(0), voiced: false }));

const frameOf = (code: number): Int16Array => new Int16Array(160).fill(code);

/** An Stt for audio in which every sample of a word is its number in a vocabulary, so its transcripts are exact. */
export class CodedStt implements Stt {
  readonly provider: string;
  readonly capabilities: Stt["capabilities"];
  /** How many frames each stream received. */
  readonly opened: { frames: number }[] = [];
  readonly #vocabulary: readonly string[];
  readonly #options: CodedSttOptions;

  constructor(vocabulary: readonly string[], options: CodedSttOptions = {}) {
    this.#vocabulary = vocabulary;
    this.#options = options;
    this.provider = options.provider ?? "coded";
    this.capabilities = { ratesHz: [8_000], interimTranscripts: options.partials ?? true };
  }

  open(_options: { language: string; rateHz: number }, signal: AbortSignal): ReturnType<Stt["open"]> {
    const { failsAfter = [], cause, deaf = false, partials = true, answersAfterFrames = 0 } = this.#options;
    const { endsWithSpeech = false } = this.#options;
    const failsAt = failsAfter[Math.min(this.opened.length, failsAfter.length - 1)] ?? Number.POSITIVE_INFINITY;
    const record = { frames: 0 };
    this.opened.push(record);
    const events = new EventQueue<SttEvent>(signal);
    let words: string[] = [];
    const due: { atFrame: number; text: string }[] = [];
    let previousCode = 0;
    let quiet = 0;
    const fail = () => events.fail(providerFailed(this.provider, "failed as scripted", cause));
    if (failsAt === 0) fail();
    const write = (frame: Int16Array, { edge }: SpeechActivity = NO_SPEECH): void => {
      if (signal.aborted || record.frames >= failsAt) return;
      record.frames += 1;
      const code = frame[0] ?? 0;
      quiet = code === 0 ? quiet + 1 : 0;
      if (code > 0 && code !== previousCode) {
        words.push(this.#vocabulary[code - 1] ?? "?");
        if (partials && !deaf) events.push({ kind: "interim", text: words.join(" ") });
      }
      if ((endsWithSpeech ? edge === "ended" : quiet === QUIET_FRAMES) && words.length > 0) {
        if (!deaf) due.push({ atFrame: record.frames + answersAfterFrames, text: words.join(" ") });
        words = [];
      }
      for (let [next] = due; next !== undefined && next.atFrame <= record.frames; [next] = due) {
        events.push({ kind: "final", text: next.text });
        due.shift();
      }
      previousCode = code;
      if (record.frames === failsAt) fail();
    };
    const requestInterim = (): void => events.push({ kind: "interim", text: words.join(" ") });
    return { write, events, ...(!partials && { requestInterim }) };
  }
}
