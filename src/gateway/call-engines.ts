import type { CallCommand, CallEvent } from "../call/events.ts";
import { pump } from "../call/pump.ts";
import type { CallSpec, CutReason, TurnLatency } from "../core/call-spec.ts";
import { codeOf } from "../core/errors.ts";
import { FRAME_MS, TURN_TEXT_CHARS_MAX } from "../core/limits.ts";
import { type Logger, withoutForeignText } from "../core/log.ts";
import type { Engine, WorkerMetrics } from "../core/metrics.ts";
import { type SpendRefusal, spendRefusalOf } from "../core/spend.ts";
import type { Usage } from "../core/usage.ts";
import { cutText } from "../core/words.ts";
import type { FrameCodec } from "../media/frame-codec.ts";
import type { Resampler, ResamplerFactory } from "../media/resampler.ts";
import { languageCode } from "../speech/languages.ts";
import type { EngineWatch, Llm, LlmEvent, Stt, SttEvent, SttStream, Tts } from "../speech/speech.ts";
import { timedFirst, timedVoice } from "../speech/timed.ts";
import type { CallSpend } from "./call-spend.ts";
import type { CallTally } from "./call-tally.ts";
import { CallVoice } from "./call-voice.ts";
import { LlmRequests } from "./llm-requests.ts";
import type { PhraseFinder } from "./phrase-book.ts";
import { Question } from "./question.ts";
import { UnrecognizedSpeech } from "./unrecognized-speech.ts";
import { VoiceOut } from "./voice-out.ts";

export interface CallEnginesOptions {
  spec: CallSpec;
  accountId: string;
  /** The rate of the caller's frames, Hz. */
  busRateHz: number;
  /** The rate of the agent's frames, Hz. */
  legRateHz: number;
  /** What the agent's frames are in. */
  legCodec: FrameCodec;
  stt: Stt | undefined;
  llm: Llm;
  tts: Tts;
  /** Asked for the phrases of each language that the call comes to. */
  phrases: PhraseFinder;
  /** Charged with what is asked of providers; may forbid it. */
  spend: Pick<CallSpend, "request" | "used" | "actionAt">;
  makeResampler: ResamplerFactory;
  tally: CallTally;
  metrics: Pick<
    WorkerMetrics,
    | "answered"
    | "engineAnswered"
    | "engineFailed"
    | "providerSwitched"
    | "providerUsed"
    | "llmRequestAborted"
    | "promptTrimmed"
  >;
  log: Logger;
  /** The time of the call. */
  nowMs: () => number;
  /** The door of the call. */
  deliver: (event: CallEvent) => void;
  /** There is speech to be sent again, after there was none. */
  onSpeech: () => void;
}

/** What a call asks of its engines, beside what is spoken. */
type EngineCommand = Extract<
  CallCommand,
  { kind: "ask" | "ask-ahead" | "forget-ahead" | "conversation-trimmed" | "language" }
>;

/** The ear, the model and the voice of one call: carries out what the call asks of them and tells it what comes back. */
export class CallEngines {
  readonly voiceOut: VoiceOut;
  readonly #voice: CallVoice;
  readonly #options: CallEnginesOptions;
  readonly #life = new AbortController();
  #ear: SttStream | undefined;
  #earLife = new AbortController();
  #earRateHz = 0;
  /** The language that the STT stream was opened with, or has been given since. */
  #sttLanguage = "";
  #earResampler: Resampler | undefined;
  /** Of an STT without interim transcripts a word may come late: nothing is concluded from its silence. */
  readonly #unrecognized: UnrecognizedSpeech | undefined;
  readonly #llmRequests: LlmRequests;
  readonly #silence: Int16Array;
  /** Who does each engine's part now, and since when, where another one was asked first. */
  readonly #serving: Record<Engine, { provider: string; sinceMs: number }>;
  /** Who served the reply that was asked for last: the ear that heard the question, the first to answer, the first to speak. */
  #servedBy: Partial<Record<Engine, string>> = {};
  #askedTurnId = 0;
  /** What providers did, and the call has not been told yet. */
  #untold: CallEvent[] = [];
  /** When the caller was last heard to speak; NaN until then, and where an ear's final has come since. */
  #voicedMs = Number.NaN;

  constructor(options: CallEnginesOptions) {
    this.#options = options;
    const { spec, busRateHz, legRateHz, legCodec, stt, llm, tts, makeResampler, tally, log, nowMs, deliver } = options;
    const { voiceId, language } = spec;
    this.#silence = new Int16Array((busRateHz / 1_000) * FRAME_MS);
    if (stt?.capabilities.partials === true) this.#unrecognized = new UnrecognizedSpeech();
    this.#llmRequests = new LlmRequests((reason) => options.metrics.llmRequestAborted(reason));
    if (stt !== undefined) tally.servedBy("ear", stt.provider);
    tally.servedBy("model", llm.provider);
    tally.servedBy("voice", tts.provider);
    const first = (provider: string) => ({ provider, sinceMs: Number.NEGATIVE_INFINITY });
    this.#serving = { ear: first(stt?.provider ?? ""), model: first(llm.provider), voice: first(tts.provider) };
    this.voiceOut = new VoiceOut({
      tts: timedVoice(tts, nowMs, (tookMs) => this.#answered("voice", tookMs)),
      voiceId,
      language,
      rateHz: legRateHz,
      codec: legCodec,
      makeResampler,
      deliver,
      onError: (error, event) => this.#failed("voice", tts.provider, error, event),
      onReady: options.onSpeech,
      watch: this.#watchOf("voice"),
      ownPhraseWatch: this.#watchOf("voice", true),
    });
    this.#voice = new CallVoice({ own: { voiceId, language }, tts, log, deliver, signal: this.#life.signal });
  }

  /** Opens the ear, if there is one, and has the others ready for the first turn. */
  listen(): void {
    const { stt, llm, tts, spec, busRateHz: rateHz, legRateHz, makeResampler } = this.#options;
    llm.prepare?.(this.#life.signal);
    tts.prepare?.({ voiceId: spec.voiceId, language: spec.language, rateHz: legRateHz }, this.#life.signal);
    void this.#choosePhrases(spec.language);
    if (stt === undefined) return;
    const earRateHz = stt.capabilities.ratesHz.includes(rateHz) ? rateHz : stt.capabilities.ratesHz[0];
    if (earRateHz === undefined) throw new Error(`${stt.provider} takes no rate at all`);
    if (earRateHz !== rateHz) this.#earResampler = makeResampler(rateHz, earRateHz);
    this.#openEar(stt, spec.language, earRateHz);
  }

  #openEar(stt: Stt, language: string, rateHz: number): void {
    this.#earLife = new AbortController();
    const { signal } = this.#earLife;
    this.#earRateHz = rateHz;
    this.#sttLanguage = language;
    const { languagePinned } = this.#options.spec;
    this.#ear = stt.open({ language, languagePinned, rateHz }, signal, this.#watchOf("ear"));
    void pump(
      this.#ear.events,
      signal,
      (event) => this.#onEar(event),
      (error) => this.#failed("ear", stt.provider, error, { kind: "ear-failed", code: codeOf(error) }),
    );
  }

  /** An ear that must be told what it hears is opened anew; what it has not told by then is lost. */
  #hearIn(language: string): void {
    const { stt, spec } = this.#options;
    if (stt === undefined || this.#ear === undefined) return;
    const detects = (one: string): boolean => !spec.languagePinned && stt.capabilities.detects?.(one) === true;
    if (stt.capabilities.anyLanguage === true || (detects(this.#sttLanguage) && detects(language))) {
      this.#sttLanguage = language;
      this.#ear.turnTo?.(language);
      return;
    }
    this.#earLife.abort();
    this.#openEar(stt, language, this.#earRateHz);
  }

  /** Tells the call what it says in its own name in `language`, once that is known and where it is not built in. Never rejects. */
  async #choosePhrases(language: string): Promise<void> {
    const { phrases, llm, spend, deliver } = this.#options;
    const chosen = await phrases.find(language, llm, {
      request: (provider, estimate) => spend.request(provider, estimate),
      used: (provider, usage, estimate) => this.#spent(provider, usage, estimate),
    });
    if (chosen !== undefined && !this.#life.signal.aborted) deliver({ kind: "phrases-chosen", language, ...chosen });
  }

  /** One frame of the caller, lent; `voiced` when somebody speaks in it. */
  hear(frame: Int16Array, voiced: boolean, nowMs: number): void {
    if (voiced) this.#voicedMs = nowMs;
    this.#write(frame, voiced);
    if (this.#unrecognized?.frame(voiced) === true) this.#onUnrecognized();
  }

  #onUnrecognized(): void {
    const { stt, spec, log } = this.#options;
    const codec = spec.websocket?.codec;
    log.warn({ stt: stt?.provider, ...(codec && { codec }) }, "the caller speaks and the STT finds no words");
  }

  /** The carrier sent nothing, which is silence: the ear counts pauses in audio alone. */
  hearSilence(frames: number): void {
    for (let frame = 0; frame < frames; frame += 1) this.#write(this.#silence, false);
  }

  #write(frame: Int16Array, voiced: boolean): void {
    this.#ear?.write(this.#earResampler === undefined ? frame : this.#earResampler.process(frame), voiced);
  }

  /** Carries out what the call asks of the model, and the language that it speaks from here on. */
  run(command: EngineCommand): void {
    switch (command.kind) {
      case "ask":
        this.#ask(command);
        return;
      case "ask-ahead":
        this.#llmRequests.askAhead(() => this.#question(command));
        return;
      case "forget-ahead":
        this.#llmRequests.forgetAhead();
        return;
      case "conversation-trimmed":
        this.#onTrimmed(command);
        return;
      case "language":
        this.voiceOut.speakWith(this.#voice.turnTo(command.language));
        this.#hearIn(command.language);
        void this.#choosePhrases(command.language);
        return;
    }
  }

  #ask(command: Extract<CallCommand, { kind: "ask" }>): void {
    const { turnId } = command;
    const { provider } = this.#options.llm;
    if (turnId !== this.#askedTurnId) this.#servedBy = { ear: this.#serving.ear.provider };
    this.#askedTurnId = turnId;
    const question = this.#llmRequests.begin(() => this.#question(command));
    // One that was asked ahead may have been answered by now.
    if (question.provider !== undefined) this.#servedBy.model = question.provider;
    question.answer(
      (event) => this.#onModel(turnId, event),
      (error) => this.#failed("model", provider, error, { kind: "reply-failed", turnId, code: codeOf(error) }),
    );
  }

  #question({ messages, tools, language }: Extract<CallCommand, { kind: "ask" | "ask-ahead" }>): Question {
    const { llm, spec, accountId, metrics, log, nowMs } = this.#options;
    const { provider } = llm;
    const request = { messages, tools, temperature: spec.temperature, language, accountId };
    this.#serving.model.provider = provider;
    const onFirst = (tookMs: number): void => {
      question.provider = this.#serving.model.provider;
      this.#answered("model", tookMs);
    };
    const question = new Question(
      (signal) => timedFirst(llm.reply(request, signal, this.#watchOf("model")), nowMs, onFirst),
      () => {
        log.warn({ engine: "model", provider }, "a model says more than anybody hears, and was stopped");
        metrics.llmRequestAborted("overlong");
      },
    );
    return question;
  }

  #onTrimmed({ kind: _, ...fields }: Extract<CallCommand, { kind: "conversation-trimmed" }>): void {
    const { metrics, log } = this.#options;
    log.info(fields, "conversation trimmed");
    metrics.promptTrimmed("bound");
  }

  /** Stops the reply that is being made: model, synthesis, and the frames that wait. */
  cut(reason: CutReason): void {
    this.#llmRequests.cut(reason);
    this.voiceOut.cut();
  }

  /** An answer is over, which took so long. */
  answered(latency: TurnLatency): void {
    this.#options.metrics.answered(latency, this.#servedBy);
  }

  /** Ends every stream of the call. Returns what the call was not told yet of what its providers did. */
  close(): readonly CallEvent[] {
    this.#life.abort();
    this.#earLife.abort();
    this.#llmRequests.close();
    this.voiceOut.cut();
    this.#ear = undefined;
    this.#earResampler?.destroy();
    this.#earResampler = undefined;
    return this.#untold.splice(0);
  }

  #onEar({ kind, text, language: tag }: SttEvent): void {
    if (text !== "") this.#unrecognized?.recognized();
    if (kind === "final" && !Number.isNaN(this.#voicedMs)) {
      this.#answered("ear", this.#options.nowMs() - this.#voicedMs);
      this.#voicedMs = Number.NaN;
    }
    // What an ear takes for a language may be none: the call is told of those that there are.
    const language = tag === undefined ? undefined : languageCode(tag);
    this.#options.deliver({
      kind: kind === "final" ? "ear-final" : "ear-partial",
      text: cutText(text, TURN_TEXT_CHARS_MAX),
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

  /**
   * Tells what one engine's providers do, and who of them takes over; later, for an ear may do so while it is given a frame that the
   * call is not told of yet.
   */
  #watchOf(engine: Engine, isOwnPhrase = false): EngineWatch {
    const { tally, metrics, spend, log, deliver, nowMs } = this.#options;
    const serving = this.#serving[engine];
    return {
      answered: (provider) => {
        serving.provider = provider;
      },
      requesting: (provider, estimate) => spend.request(provider, estimate, isOwnPhrase),
      used: (provider, usage, estimate) => {
        metrics.providerUsed(provider, usage);
        this.#spent(provider, usage, estimate);
        this.#untold.push({ kind: "used", engine, provider, usage });
        queueMicrotask(() => {
          for (let event = this.#untold.shift(); event !== undefined; event = this.#untold.shift()) deliver(event);
        });
      },
      contextExceeded: (refusedBy, tokensMax, retried) => {
        metrics.promptTrimmed("context_exceeded");
        const fields = { provider: refusedBy, tokensMax, retried };
        log.warn(fields, "an LLM refused a prompt as too long: CONTEXT_TOKENS should name its context");
        queueMicrotask(() => {
          if (!this.#life.signal.aborted) deliver({ kind: "context-exceeded", ...fields });
        });
      },
      switched: (from, to, code) => {
        serving.provider = to;
        serving.sinceMs = nowMs();
        tally.servedBy(engine, to);
        metrics.providerSwitched(engine, from, to);
        log.warn({ engine, from, to, code }, "a call goes on with another provider");
        queueMicrotask(() => {
          if (!this.#life.signal.aborted) deliver({ kind: "provider-switched", engine, from, to, code });
        });
      },
    };
  }

  /** An engine failed, which the call is told by `event`; or it was not asked, because the call may spend no more. */
  #failed(engine: Engine, provider: string, error: unknown, event: CallEvent): void {
    const refusal = spendRefusalOf(error);
    if (refusal !== undefined) {
      this.#onLimit(refusal);
      return;
    }
    this.#onFailure(engine, provider, error);
    this.#options.deliver(event);
  }

  /** Charges what a provider reports. Where the call has now cost all that it may, it ends. */
  #spent(provider: string, usage: Usage, estimate: Usage | undefined): void {
    if (!this.#options.spend.used(provider, usage, estimate)) return;
    queueMicrotask(() => this.#onLimit({ scope: "call", limit: "cost" }));
  }

  #onLimit(refusal: SpendRefusal): void {
    const { spend, log, deliver } = this.#options;
    if (this.#life.signal.aborted) return;
    const action = spend.actionAt(refusal);
    log.warn({ ...refusal, action }, "a spend limit was reached");
    deliver({ kind: "limit-reached", ...refusal, action });
  }

  /** Whoever answers took no longer than since he was asked, however long others had been waited for. */
  #answered(engine: Engine, tookMs: number): void {
    const { metrics, nowMs } = this.#options;
    const { provider, sinceMs } = this.#serving[engine];
    this.#servedBy[engine] ??= provider;
    metrics.engineAnswered(engine, provider, Math.min(tookMs, nowMs() - sinceMs));
  }

  #onFailure(engine: Engine, provider: string, error: unknown): void {
    const { tally, metrics, log } = this.#options;
    const code = codeOf(error);
    log.warn({ engine, provider, code, ...withoutForeignText(error) }, "an engine of the call failed");
    tally.engineFailed(engine, code);
    metrics.engineFailed(engine, provider);
  }
}
