import { providerFailed, TrunklineError } from "../../../../core/errors.ts";
import { STT_ANSWER_BYTES_MAX, STT_PENDING_UTTERANCES_MS_MAX } from "../../../../core/limits/speech-providers/stt.ts";
import { connectionErrorCode } from "../../../../core/network/connection-error.ts";
import { NO_SPEECH, type SpeechActivity } from "../../../../media/voice-activity/speech-activity.ts";
import type { Stt, SttEvent, SttStream } from "../../../contracts.ts";
import { EventQueue } from "../../../event-queue.ts";
import { preconnect } from "../../../keep-alive-request.ts";
import { transcriptLanguage, transcriptText } from "../../transcript-text.ts";
import { UtteranceBuffer } from "../../utterance-buffer.ts";
import {
  detectedIn,
  type FormField,
  isGptTranscribe,
  languageFields,
  PROVIDER,
  RATE_HZ,
  requestTranscription,
  spokenWords,
  type TranscriptionServer,
} from "./request.ts";

export interface OpenAiSttOptions extends TranscriptionServer {
  /** Whether the server detects and reports the language where the request names none. */
  languageDetection: boolean;
}

/**
 * STT of any server with OpenAI's `POST /v1/audio/transcriptions`: OpenAI itself, whisper.cpp (`--inference-path`),
 * speaches. It gets whole utterances, divided by our own VAD, one after the other, and emits interim transcripts only on request.
 *
 * Built from platform.openai.com/docs/api-reference/audio/createTranscription as in the `openai` package 7.57.0, and
 * from examples/server/README.md of whisper.cpp, as of November 2026. A language hint turns the detection off, so a
 * call gets one or the other.
 */
export function createOpenAiStt(options: OpenAiSttOptions): Stt {
  return {
    provider: PROVIDER,
    capabilities: { ratesHz: [RATE_HZ], interimTranscripts: false, detectsLanguage: () => options.languageDetection },
    open: ({ language, languagePinned = false }, signal) =>
      new OpenAiSttStream(
        { ...options, languageDetection: options.languageDetection && !languagePinned },
        language,
        signal,
      ),
  };
}

/** The stream of one call. Whole utterances are transcribed one after the other; interims are requested beside them. */
class OpenAiSttStream implements SttStream {
  readonly events: EventQueue<SttEvent>;
  readonly #options: OpenAiSttOptions;
  readonly #language: string;
  readonly #buffer = new UtteranceBuffer();
  /** Pending utterances; the first one is being transcribed. */
  readonly #utterances: Int16Array[] = [];
  readonly #failed = new AbortController();
  /** Aborted when the call aborts the stream, or when it has failed. */
  readonly #signal: AbortSignal;
  #sentMs = 0;
  #finals = 0;
  #isInterimPending = false;

  constructor(options: OpenAiSttOptions, language: string, signal: AbortSignal) {
    this.#options = options;
    this.#language = language;
    this.events = new EventQueue(signal);
    this.#signal = AbortSignal.any([signal, this.#failed.signal]);
    preconnect(options.url, signal);
  }

  get sentAudioMs(): number {
    return this.#sentMs;
  }

  write(frame: Int16Array, activity: SpeechActivity = NO_SPEECH): void {
    if (this.#signal.aborted) return;
    const utterance = this.#buffer.write(frame, activity);
    if (utterance === undefined) return;
    this.#utterances.push(utterance);
    const samples = this.#utterances.reduce((sum, pending) => sum + pending.length, 0);
    if ((samples / RATE_HZ) * 1_000 > STT_PENDING_UTTERANCES_MS_MAX) {
      this.#fail(providerFailed(PROVIDER, "transcribes slower than real time"));
    } else if (this.#utterances.length === 1) {
      void this.#transcribeAll();
    }
  }

  requestInterim(): void {
    if (this.#signal.aborted || this.#isInterimPending || this.#utterances.length > 0) return;
    const utterance = this.#buffer.current();
    // Nothing that was received so far is speech.
    if (utterance === undefined) this.events.push({ kind: "interim", text: "" });
    else void this.#transcribeInterim(utterance);
  }

  async #transcribeInterim(utterance: Int16Array): Promise<void> {
    const finals = this.#finals;
    this.#isInterimPending = true;
    try {
      const { text } = await this.#transcribe(utterance);
      // The final of this utterance may have been faster.
      if (!this.#signal.aborted && this.#finals === finals)
        this.events.push({ kind: "interim", text: spokenWords(text) });
    } catch {
      // The final transcript of this utterance decides whether the provider works.
    } finally {
      this.#isInterimPending = false;
    }
  }

  async #transcribeAll(): Promise<void> {
    try {
      for (let next = this.#utterances[0]; next !== undefined; next = this.#utterances[0]) {
        const { text, detected } = await this.#transcribe(next);
        if (this.#signal.aborted) return;
        this.#utterances.shift();
        this.#finals += 1;
        const words = spokenWords(text);
        const language =
          words === "" || detected === undefined ? undefined : transcriptLanguage(detected, this.#language);
        // An empty final for sounds without words: it shows that the utterance was processed.
        this.events.push({ kind: "final", text: words, ...(language === undefined ? {} : { language }) });
      }
    } catch (error) {
      if (this.#signal.aborted) return;
      this.#fail(error instanceof TrunklineError ? error : providerFailed(PROVIDER, requestFailure(error)));
    }
  }

  async #transcribe(utterance: Int16Array): ReturnType<typeof transcribe> {
    this.#sentMs += (utterance.length / RATE_HZ) * 1_000;
    return await transcribe(this.#options, utterance, this.#language, this.#signal);
  }

  #fail(error: Error): void {
    this.#failed.abort();
    this.#utterances.length = 0;
    this.events.fail(error);
  }
}

async function transcribe(
  { languageDetection, ...server }: OpenAiSttOptions,
  utterance: Int16Array,
  language: string,
  signal: AbortSignal,
): Promise<{ text: string; detected: string | undefined }> {
  const fields = fieldsFor(server.model, languageDetection ? undefined : language);
  const answer = await requestTranscription(server, utterance, fields, STT_ANSWER_BYTES_MAX, signal);
  return { text: transcriptText(answer.text), detected: languageDetection ? detectedIn(answer) : undefined };
}

/** The form fields for the language and the response format. Without a language the server detects it. */
function fieldsFor(model: string, language: string | undefined): FormField[] {
  const fields = languageFields(model, language);
  if (isGptTranscribe(model)) return fields;
  return [...fields, ["response_format", language === undefined ? "verbose_json" : "json"]];
}

/** Describes a failed request by its code alone, because error texts contain addresses. */
function requestFailure(error: unknown): string {
  return `the request failed (${connectionErrorCode(error) ?? "no code"})`;
}
