import type { Usage } from "../../core/billing/usage.ts";
import type { ClosableTts, Llm, LlmEvent, ProviderObserver, Stt, SttEvent } from "../contracts.ts";
import { promptTokens } from "../llm/prompt/prompt-tokens.ts";
import { textTokens } from "../llm/prompt/text-tokens.ts";

/*
 * Wrappers that report each attempt of a provider, and its usage, to an observer. Providers bill what they were asked
 * for, also if the request was cancelled later. They do not bill requests that they refused, or that failed before any
 * output.
 */

/** STT usage is reported in steps, so that a process that dies loses little of it. */
const STT_USAGE_STEP_MS = 5_000;

/** Wraps `stt` and reports its audio: all that was sent to it, silence too. */
export function meteredStt(stt: Stt): Stt {
  const { provider, capabilities } = stt;
  return {
    provider,
    capabilities,
    open(options, signal, observer) {
      const stream = stt.open(options, signal);
      if (observer === undefined) return stream;
      const stepSamples = (STT_USAGE_STEP_MS / 1_000) * options.rateHz;
      let samples = 0;
      let nextStep = stepSamples;
      let settledMs = 0;
      const pendingMs = (): number => (stream.sentAudioMs ?? (samples * 1_000) / options.rateHz) - settledMs;
      const report = (): void => {
        const ms = pendingMs();
        if (ms <= 0) return;
        settledMs += ms;
        observer.used(provider, { audioSeconds: ms / 1_000 });
      };
      // A stream that fails without any transcript did not process its pending audio.
      const discardPending = (): void => {
        settledMs += pendingMs();
      };
      signal.addEventListener("abort", report, { once: true });
      return {
        write(frame, voiced) {
          stream.write(frame, voiced);
          if (signal.aborted) return;
          samples += frame.length;
          if (samples < nextStep) return;
          nextStep += stepSamples;
          report();
        },
        events: observedEvents(stream.events, () => observer.responded(provider), discardPending),
      };
    },
  };
}

async function* observedEvents(
  events: AsyncIterable<SttEvent>,
  onEvent: () => void,
  onFailureWithoutEvents: () => void,
): AsyncGenerator<SttEvent> {
  let hasResponded = false;
  try {
    for await (const event of events) {
      hasResponded = true;
      onEvent();
      yield event;
    }
  } catch (error) {
    if (!hasResponded) onFailureWithoutEvents();
    throw error;
  }
}

/** Wraps `llm` and reports its tokens; `model` is its name where its provider has several. */
export function meteredLlm(llm: Llm, model?: string): Llm {
  const { provider } = llm;
  const ofModel = model === undefined ? {} : { model };
  return {
    provider,
    ...(llm.contextTokens === undefined ? {} : { contextTokens: llm.contextTokens }),
    prepare: (signal) => llm.prepare?.(signal),
    async *reply(request, signal, observer): AsyncGenerator<LlmEvent> {
      if (observer === undefined) {
        yield* llm.reply(request, signal);
        return;
      }
      const estimate = { ...ofModel, inputTokens: promptTokens(request) };
      observer.requesting(provider, estimate);
      let output = "";
      const account = new UsageAccount(provider, observer, estimate, () => ({
        ...estimate,
        outputTokens: textTokens(output),
        approximate: true,
      }));
      for await (const event of account.meter(llm.reply(request, signal), signal)) {
        if (event.kind === "text") output += event.text;
        else if (event.kind === "tool-call") output += event.name + event.argumentsJson;
        else if (event.inputTokens + event.outputTokens > 0) {
          const { inputTokens, outputTokens } = event;
          account.settle({ ...ofModel, inputTokens, outputTokens });
        }
        yield event;
      }
    },
  };
}

/** Wraps `tts` and reports its characters. */
export function meteredTts(tts: ClosableTts): ClosableTts {
  const { provider, capabilities } = tts;
  return {
    provider,
    capabilities,
    voices: () => tts.voices(),
    prepare: (voice, signal) => tts.prepare?.(voice, signal),
    async *speak(request, signal, observer) {
      if (observer === undefined) {
        yield* tts.speak(request, signal);
        return;
      }
      const usage = { characters: [...request.text].length };
      observer.requesting(provider, usage);
      yield* new UsageAccount(provider, observer, usage, () => usage).meter(tts.speak(request, signal), signal);
    },
    close: () => tts.close(),
  };
}

/** The usage of one request, reported once. */
class UsageAccount {
  readonly #provider: string;
  readonly #observer: ProviderObserver;
  readonly #reserved: Usage;
  readonly #estimate: () => Usage;
  #isSettled = false;

  /** `reserved` is the estimate before the request; `estimate` returns the usage where the provider reports none. */
  constructor(provider: string, observer: ProviderObserver, reserved: Usage, estimate: () => Usage) {
    this.#provider = provider;
    this.#observer = observer;
    this.#reserved = reserved;
    this.#estimate = estimate;
  }

  settle(usage: Usage): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#observer.used(this.#provider, usage, this.#reserved);
  }

  /** Passes `items` through. An abort settles the usage at once. */
  async *meter<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
    if (signal.aborted) return;
    const settle = (): void => this.settle(this.#estimate());
    let hasResponded = false;
    signal.addEventListener("abort", settle, { once: true });
    try {
      for await (const item of items) {
        if (!hasResponded) this.#observer.responded(this.#provider);
        hasResponded = true;
        yield item;
      }
    } finally {
      signal.removeEventListener("abort", settle);
      if (hasResponded) settle();
    }
  }
}
