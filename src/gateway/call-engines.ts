import type { CallCommand, CallEvent } from "../call/events.ts";
import { pump } from "../call/pump.ts";
import type { CallSpec } from "../core/call-spec.ts";
import { codeOf } from "../core/errors.ts";
import { FRAME_MS, TURN_TEXT_CHARS_MAX } from "../core/limits.ts";
import { type Logger, withoutForeignText } from "../core/log.ts";
import type { Engine, WorkerMetrics } from "../core/metrics.ts";
import type { FrameCodec } from "../media/frame-codec.ts";
import type { Resampler, ResamplerFactory } from "../media/resampler.ts";
import { languageCode } from "../speech/languages.ts";
import type { Llm, LlmEvent, Stt, SttEvent, SttStream, Tts } from "../speech/speech.ts";
import { timedFirst, timedVoice } from "../speech/timed.ts";
import type { CallTally } from "./call-tally.ts";
import { CallVoice } from "./call-voice.ts";
import { ModelAnswer } from "./model-answer.ts";
import { VoiceOut } from "./voice-out.ts";

/** What the call is told of an answer that was stopped: what has been said of it is all of it. */
const END: LlmEvent = { kind: "end", inputTokens: 0, outputTokens: 0 };

export interface CallEnginesOptions {
  spec: CallSpec;
  /** The rate of the caller's frames, Hz. */
  busRateHz: number;
  /** The rate of the agent's frames, Hz. */
  legRateHz: number;
  /** What the agent's frames are in. */
  legCodec: FrameCodec;
  stt: Stt | undefined;
  llm: Llm;
  tts: Tts;
  makeResampler: ResamplerFactory;
  tally: CallTally;
  metrics: Pick<WorkerMetrics, "engineAnswered" | "engineFailed">;
  log: Logger;
  /** The time of the call. */
  nowMs: () => number;
  /** The door of the call. */
  deliver: (event: CallEvent) => void;
  /** There is speech to be sent again, after there was none. */
  onSpeech: () => void;
}

/** The ear, the model and the voice of one call: carries out what the call asks of them and tells it what comes back. */
export class CallEngines {
  readonly voiceOut: VoiceOut;
  readonly #voice: CallVoice;
  readonly #options: CallEnginesOptions;
  readonly #life = new AbortController();
  #ear: SttStream | undefined;
  #earResampler: Resampler | undefined;
  #model: AbortController | undefined;
  readonly #silence: Int16Array;
  /** When the caller was last heard to speak; NaN until then, and where an ear's final has come since. */
  #voicedMs = Number.NaN;

  constructor(options: CallEnginesOptions) {
    this.#options = options;
    const { spec, busRateHz, legRateHz, legCodec, stt, llm, tts, makeResampler, tally, log, nowMs, deliver } = options;
    const { voiceId, language } = spec;
    this.#silence = new Int16Array((busRateHz / 1_000) * FRAME_MS);
    tally.providers = { ear: stt?.provider, model: llm.provider, voice: tts.provider };
    this.voiceOut = new VoiceOut({
      tts: timedVoice(tts, nowMs, (tookMs) => this.#answered("voice", tts.provider, tookMs)),
      voiceId,
      language,
      rateHz: legRateHz,
      codec: legCodec,
      makeResampler,
      deliver,
      onError: (error) => this.#onFailure("voice", tts.provider, error),
      onReady: options.onSpeech,
    });
    this.#voice = new CallVoice({ own: { voiceId, language }, tts, log, deliver, signal: this.#life.signal });
  }

  /** Opens the ear, if there is one. */
  listen(): void {
    const { stt, spec, busRateHz: rateHz, makeResampler } = this.#options;
    if (stt === undefined) return;
    const earRateHz = stt.capabilities.ratesHz.includes(rateHz) ? rateHz : stt.capabilities.ratesHz[0];
    if (earRateHz === undefined) throw new Error(`${stt.provider} takes no rate at all`);
    if (earRateHz !== rateHz) this.#earResampler = makeResampler(rateHz, earRateHz);
    this.#ear = stt.open({ language: spec.language, rateHz: earRateHz }, this.#life.signal);
    void pump(
      this.#ear.events,
      this.#life.signal,
      (event) => this.#onEar(event, stt.provider),
      (error) => this.#failed("ear", stt.provider, error, { kind: "ear-failed", code: codeOf(error) }),
    );
  }

  /** One frame of the caller, lent; `voiced` when somebody speaks in it. */
  hear(frame: Int16Array, voiced: boolean, nowMs: number): void {
    if (voiced) this.#voicedMs = nowMs;
    this.#write(frame);
  }

  /** The carrier sent nothing, which is silence: the ear counts pauses in audio alone. */
  hearSilence(frames: number): void {
    for (let frame = 0; frame < frames; frame += 1) this.#write(this.#silence);
  }

  #write(frame: Int16Array): void {
    this.#ear?.write(this.#earResampler === undefined ? frame : this.#earResampler.process(frame));
  }

  ask({ turnId, messages, tools, language }: Extract<CallCommand, { kind: "ask" }>): void {
    const { llm, spec, log, nowMs } = this.#options;
    const model = new AbortController();
    this.#model = model;
    const request = { messages, tools, temperature: spec.temperature, language };
    const answer = new ModelAnswer();
    void pump(
      timedFirst(llm.reply(request, model.signal), nowMs, (tookMs) => this.#answered("model", llm.provider, tookMs)),
      model.signal,
      (event) => {
        this.#onModel(turnId, answer.bounded(event));
        if (!answer.over || event.kind === "end" || model.signal.aborted) return;
        log.warn({ engine: "model", provider: llm.provider }, "a model says more than anybody hears, and was stopped");
        model.abort();
        this.#onModel(turnId, END);
      },
      (error) => this.#failed("model", llm.provider, error, { kind: "reply-failed", turnId, code: codeOf(error) }),
    );
  }

  /** What is spoken from here on is in `language`. */
  speakLanguage(language: string): void {
    this.voiceOut.speakWith(this.#voice.turnTo(language));
  }

  /** Stops the reply that is being made: model, synthesis, and the frames that wait. */
  cut(): void {
    this.#model?.abort();
    this.#model = undefined;
    this.voiceOut.cut();
  }

  /** Ends every stream of the call. */
  close(): void {
    this.#life.abort();
    this.cut();
    this.#ear = undefined;
    this.#earResampler?.destroy();
    this.#earResampler = undefined;
  }

  #onEar({ kind, text, language: tag }: SttEvent, provider: string): void {
    if (kind === "final" && !Number.isNaN(this.#voicedMs)) {
      this.#answered("ear", provider, this.#options.nowMs() - this.#voicedMs);
      this.#voicedMs = Number.NaN;
    }
    // What an ear takes for a language may be none: the call is told of those that there are.
    const language = tag === undefined ? undefined : languageCode(tag);
    this.#options.deliver({
      kind: kind === "final" ? "ear-final" : "ear-partial",
      text: text.slice(0, TURN_TEXT_CHARS_MAX),
      ...(language === undefined ? {} : { language }),
    });
  }

  #onModel(turnId: number, event: LlmEvent): void {
    const { deliver } = this.#options;
    switch (event.kind) {
      case "text":
        deliver({ kind: "reply-text", turnId, text: event.text });
        return;
      case "tool-call":
        deliver({ kind: "reply-tool", turnId, id: event.id, name: event.name, argumentsJson: event.argumentsJson });
        return;
      case "end":
        deliver({ kind: "reply-end", turnId });
        return;
    }
  }

  #failed(engine: "ear" | "model", provider: string, error: unknown, event: CallEvent): void {
    this.#onFailure(engine, provider, error);
    this.#options.deliver(event);
  }

  #answered(engine: Engine, provider: string, tookMs: number): void {
    this.#options.metrics.engineAnswered(engine, provider, tookMs);
  }

  #onFailure(engine: Engine, provider: string, error: unknown): void {
    const { tally, metrics, log } = this.#options;
    const code = codeOf(error);
    log.warn({ engine, provider, code, ...withoutForeignText(error) }, "an engine of the call failed");
    tally.engineFailed(engine, code);
    metrics.engineFailed(engine, provider);
  }
}
