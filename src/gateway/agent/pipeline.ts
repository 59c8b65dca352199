import type { CallCommand, CallEvent } from "../../call/events.ts";
import { type SpendRefusal, spendRefusalOf } from "../../core/billing/spend.ts";
import type { Usage } from "../../core/billing/usage.ts";
import type { CancelReason } from "../../core/calls/reasons.ts";
import type { CallSpec } from "../../core/calls/spec.ts";
import type { Stage } from "../../core/calls/stages.ts";
import type { TurnLatency } from "../../core/calls/transcript.ts";
import { type CallMs, callMs, elapsedMs } from "../../core/clocks.ts";
import { codeOf } from "../../core/errors.ts";
import { type AccountId, asTurnId, type TurnId } from "../../core/ids.ts";
import { type Logger, loggableError } from "../../core/log/logger.ts";
import type { WorkerMetrics } from "../../core/metrics/worker-metrics.ts";
import type { FrameCodec } from "../../media/frame-codec.ts";
import type { ResamplerFactory } from "../../media/resampler.ts";
import type { CallLlm, CallStt, CallTts, LlmEvent, ProviderObserver } from "../../speech/contracts.ts";
import type { CallCounters } from "../metrics/call-counters.ts";
import type { PhraseFinder } from "../phrases/book.ts";
import type { CallSpend } from "../spend/call.ts";
import { BufferedReply } from "./buffered-reply.ts";
import { LlmRequests } from "./llm-requests.ts";
import { SttInput } from "./stt-input.ts";
import { TtsOutput } from "./tts-output.ts";
import { VoiceSelector } from "./voice-selector.ts";

export interface AgentPipelineOptions {
  spec: CallSpec;
  accountId: AccountId;
  /** The rate of the caller's frames, Hz. */
  busRateHz: number;
  /** The rate of the agent's frames, Hz. */
  legRateHz: number;
  /** The codec of the agent's frames. */
  legCodec: FrameCodec;
  stt: CallStt | undefined;
  llm: CallLlm;
  tts: CallTts;
  /** Finds the phrases for each language of the call. */
  phrases: PhraseFinder;
  /** Charges requests to providers; may refuse them. */
  spend: Pick<CallSpend, "request" | "used" | "actionFor">;
  makeResampler: ResamplerFactory;
  /** See `TtsOutputOptions`. */
  rewindMsMax: number;
  counters: CallCounters;
  metrics: Pick<
    WorkerMetrics,
    | "turnAnswered"
    | "stageAnswered"
    | "stageFailed"
    | "providerFailedOver"
    | "providerUsed"
    | "llmRequestAborted"
    | "promptTrimmed"
  >;
  log: Logger;
  /** Call time. */
  nowMs: () => CallMs;
  /** Delivers an event to the call. */
  deliver: (event: CallEvent) => void;
  /** Audio is ready to be sent again after the output was empty. */
  onSpeechReady: () => void;
}

/** The commands that the pipeline carries out, apart from `speak`. */
export type PipelineCommand = Extract<
  CallCommand,
  { kind: "generate-reply" | "preemptive-start" | "preemptive-cancel" | "conversation-trimmed" | "language" }
>;

/** The STT, LLM and TTS of one call: carries out the call's commands and delivers the results as events. */
export class AgentPipeline {
  /** Undefined for an agent without an STT. */
  readonly sttInput: SttInput | undefined;
  readonly ttsOutput: TtsOutput;
  readonly #voiceSelector: VoiceSelector;
  readonly #options: AgentPipelineOptions;
  readonly #abortController = new AbortController();
  readonly #llmRequests: LlmRequests;
  /** Which provider serves each stage, and since when if a failover switched to it. */
  readonly #activeProviders: Record<Stage, { provider: string; sinceMs: CallMs }>;
  /**
   * Which providers served the latest reply: the STT of the reply, the first LLM to respond, the first TTS to
   * respond.
   */
  #replyProviders: Partial<Record<Stage, string>> = {};
  #requestedTurnId = asTurnId(0);
  #preemptiveRequests = 0;
  /** Events of providers that have not been delivered to the call yet. */
  #pendingEvents: CallEvent[] = [];

  constructor(options: AgentPipelineOptions) {
    this.#options = options;
    const { spec, legRateHz, legCodec, stt, llm, tts, makeResampler, counters, log, nowMs, deliver } = options;
    const { voiceId, language } = spec;
    this.#llmRequests = new LlmRequests((reason) => options.metrics.llmRequestAborted(reason));
    if (stt !== undefined) counters.servedBy("stt", stt.provider);
    if (spec.mode === undefined) {
      counters.servedBy("llm", llm.provider);
      counters.servedBy("tts", tts.provider);
    }
    const first = (provider: string) => ({ provider, sinceMs: callMs(Number.NEGATIVE_INFINITY) });
    this.#activeProviders = { stt: first(stt?.provider ?? ""), llm: first(llm.provider), tts: first(tts.provider) };
    if (stt !== undefined) this.sttInput = this.#createSttInput(stt);
    this.ttsOutput = new TtsOutput({
      tts,
      voiceId,
      language,
      rateHz: legRateHz,
      codec: legCodec,
      makeResampler,
      rewindMsMax: options.rewindMsMax,
      deliver,
      onError: (error, event) => this.#onProviderError("tts", tts.provider, error, event),
      onFirstAudio: (durationMs) => this.#recordFirstResult("tts", durationMs),
      nowMs,
      onReady: options.onSpeechReady,
      observer: this.#observerOf("tts"),
      ownPhraseObserver: this.#observerOf("tts", { isOwnPhrase: true }),
    });
    this.#voiceSelector = new VoiceSelector({
      initial: { voiceId, language },
      tts,
      log,
      deliver,
      signal: this.#abortController.signal,
    });
  }

  #createSttInput(stt: CallStt): SttInput {
    const { provider } = stt;
    return new SttInput({
      ...this.#options,
      stt,
      observer: this.#observerOf("stt"),
      onLatency: (durationMs) => this.#recordFirstResult("stt", durationMs),
      onError: (error) => this.#onProviderError("stt", provider, error, { kind: "stt-failed", code: codeOf(error) }),
    });
  }

  /** Opens the STT stream, if there is an STT, and prepares the LLM and TTS for the first turn, if there is to be one. */
  start(): void {
    const { llm, tts, spec, legRateHz: rateHz } = this.#options;
    if (spec.mode === undefined) {
      llm.prepare?.(this.#abortController.signal);
      tts.prepare?.({ voiceId: spec.voiceId, language: spec.language, rateHz }, this.#abortController.signal);
      void this.#choosePhrases(spec.language);
    }
    this.sttInput?.start();
  }

  /** Delivers the service phrases of `language` once they are known, unless the built-in ones apply. Never rejects. */
  async #choosePhrases(language: string): Promise<void> {
    const { phrases, llm, spend, deliver } = this.#options;
    const chosen = await phrases.find(language, llm, {
      request: (provider, estimate) => spend.request(provider, estimate),
      used: (provider, usage, estimate) => this.#charge(provider, usage, estimate),
    });
    if (chosen !== undefined && !this.#abortController.signal.aborted)
      deliver({ kind: "phrases-chosen", language, ...chosen });
  }

  /** Carries out a command for the LLM, or changes the language of the call. */
  run(command: PipelineCommand): void {
    switch (command.kind) {
      case "generate-reply":
        this.#generateReply(command);
        return;
      case "preemptive-start":
        this.#preemptiveRequests += 1;
        this.#llmRequests.startPreemptive(() => this.#sendLlmRequest(command, this.#preemptiveRequests));
        return;
      case "preemptive-cancel":
        this.#llmRequests.cancelPreemptive();
        return;
      case "conversation-trimmed":
        this.#onTrimmed(command);
        return;
      case "language":
        this.ttsOutput.setVoice(this.#voiceSelector.selectFor(command.language));
        this.sttInput?.setLanguage(command.language);
        void this.#choosePhrases(command.language);
        return;
    }
  }

  #generateReply(command: Extract<CallCommand, { kind: "generate-reply" }>): void {
    const { turnId } = command;
    const { provider } = this.#options.llm;
    if (turnId !== this.#requestedTurnId) this.#replyProviders = { stt: this.#activeProviders.stt.provider };
    this.#requestedTurnId = turnId;
    const reply = this.#llmRequests.start(() => this.#sendLlmRequest(command));
    // A preemptive request may have been answered already.
    if (reply.provider !== undefined) this.#replyProviders.llm = reply.provider;
    reply.deliverTo(
      (event) => this.#onLlmEvent(turnId, event),
      (error) => this.#onProviderError("llm", provider, error, { kind: "reply-failed", turnId, code: codeOf(error) }),
    );
  }

  /** `preemptive`: which preemptive request of the call it is, from 1; 0 for others. */
  #sendLlmRequest(
    { messages, tools, language }: Extract<CallCommand, { kind: "generate-reply" | "preemptive-start" }>,
    preemptive = 0,
  ): BufferedReply {
    const { llm, spec, accountId, metrics, log, nowMs } = this.#options;
    const { provider } = llm;
    const request = { messages, tools, temperature: spec.temperature, language, accountId };
    this.#activeProviders.llm.provider = provider;
    const reply = new BufferedReply({
      open: (signal) => llm.reply(request, signal, this.#observerOf("llm", { preemptive })),
      onFirst: (durationMs) => {
        reply.provider = this.#activeProviders.llm.provider;
        this.#recordFirstResult("llm", durationMs);
      },
      onOverlong: () => {
        log.warn({ stage: "llm", provider }, "LLM reply exceeded its length limit and was aborted");
        metrics.llmRequestAborted("overlong");
      },
      nowMs,
    });
    return reply;
  }

  #onTrimmed({ kind: _, ...fields }: Extract<CallCommand, { kind: "conversation-trimmed" }>): void {
    const { metrics, log } = this.#options;
    log.info(fields, "conversation trimmed");
    metrics.promptTrimmed("bound");
  }

  /** Cancels the current reply: its LLM request, its synthesis and its buffered frames. */
  interrupt(reason: CancelReason): void {
    this.#llmRequests.cancel(reason);
    this.ttsOutput.cancel();
  }

  /** Records the latency of a completed turn. */
  recordTurnLatency(latency: TurnLatency): void {
    this.#options.metrics.turnAnswered(latency, this.#replyProviders);
  }

  /** Ends every stream of the call. Returns the provider events that were not delivered yet. */
  close(): readonly CallEvent[] {
    this.#abortController.abort();
    this.sttInput?.close();
    this.#llmRequests.close();
    this.ttsOutput.cancel();
    return this.#pendingEvents.splice(0);
  }

  #onLlmEvent(turnId: TurnId, event: LlmEvent): void {
    const { deliver } = this.#options;
    switch (event.kind) {
      case "text":
        deliver({ kind: "reply-text", turnId, text: event.text });
        return;
      case "tool-call":
        deliver({
          kind: "reply-tool-call",
          turnId,
          id: event.id,
          name: event.name,
          argumentsJson: event.argumentsJson,
        });
        return;
      case "end":
        deliver({ kind: "reply-end", turnId });
        return;
    }
  }

  /**
   * Reports what a stage's providers do, and failovers between them. Events are delivered in a microtask: an STT may
   * report something while it is given a frame that the call has not handled yet.
   */
  #observerOf(stage: Stage, { isOwnPhrase = false, preemptive = 0 } = {}): ProviderObserver {
    const { counters, metrics, spend, log, deliver, nowMs } = this.#options;
    const active = this.#activeProviders[stage];
    return {
      responded: (provider) => {
        active.provider = provider;
      },
      requesting: (provider, estimate) => spend.request(provider, estimate, isOwnPhrase),
      used: (provider, usage, estimate) => {
        metrics.providerUsed(provider, usage);
        this.#charge(provider, usage, estimate);
        this.#pendingEvents.push({ kind: "usage", stage, provider, usage, ...(preemptive > 0 && { preemptive }) });
        queueMicrotask(() => {
          for (let event = this.#pendingEvents.shift(); event !== undefined; event = this.#pendingEvents.shift())
            deliver(event);
        });
      },
      contextExceeded: (refusedBy, tokensMax, retried) => {
        metrics.promptTrimmed("context_exceeded");
        const fields = { provider: refusedBy, tokensMax, retried };
        log.warn(fields, "LLM refused the prompt as too long: set CONTEXT_TOKENS for this model");
        queueMicrotask(() => {
          if (!this.#abortController.signal.aborted) deliver({ kind: "context-exceeded", ...fields });
        });
      },
      failedOver: (from, to, code) => {
        active.provider = to;
        active.sinceMs = nowMs();
        counters.servedBy(stage, to);
        metrics.providerFailedOver(stage, from, to);
        log.warn({ stage, from, to, code }, "provider switched");
        queueMicrotask(() => {
          if (!this.#abortController.signal.aborted) deliver({ kind: "provider-switched", stage, from, to, code });
        });
      },
    };
  }

  /** A stage failed, which `event` reports to the call; or it was not requested because the spend limit is reached. */
  #onProviderError(stage: Stage, provider: string, error: unknown, event: CallEvent): void {
    const refusal = spendRefusalOf(error);
    if (refusal !== undefined) {
      this.#onLimit(refusal);
      return;
    }
    this.#recordFailure(stage, provider, error);
    this.#options.deliver(event);
  }

  /** Charges what a provider reports. When the call's maximum cost is reached, the call ends. */
  #charge(provider: string, usage: Usage, estimate: Usage | undefined): void {
    if (!this.#options.spend.used(provider, usage, estimate)) return;
    queueMicrotask(() => this.#onLimit({ scope: "call", limit: "cost" }));
  }

  #onLimit(refusal: SpendRefusal): void {
    const { spend, log, deliver } = this.#options;
    if (this.#abortController.signal.aborted) return;
    const action = spend.actionFor(refusal);
    log.warn({ ...refusal, action }, "spend limit reached");
    deliver({ kind: "limit-reached", ...refusal, action });
  }

  /**
   * Measures the latency of the provider that responded from the failover to it at the earliest, so that it excludes
   * the time lost on a provider that failed before.
   */
  #recordFirstResult(stage: Stage, durationMs: number): void {
    const { metrics, nowMs } = this.#options;
    const { provider, sinceMs } = this.#activeProviders[stage];
    this.#replyProviders[stage] ??= provider;
    metrics.stageAnswered(stage, provider, Math.min(durationMs, elapsedMs(sinceMs, nowMs())));
  }

  #recordFailure(stage: Stage, provider: string, error: unknown): void {
    const { counters, metrics, log } = this.#options;
    const code = codeOf(error);
    log.warn({ stage, provider, code, ...loggableError(error) }, "stage failed without a fallback");
    counters.providerFailed(stage, code);
    metrics.stageFailed(stage, provider);
  }
}
