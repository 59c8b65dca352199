import type { Usage } from "../../core/billing/usage.ts";
import type { ClosableTts, Llm, LlmEvent, ProviderObserver, Stt, SttEvent } from "../contracts.ts";
import { promptTokens } from "../llm/prompt/prompt-tokens.ts";
import { textTokens } from "../llm/prompt/text-tokens.ts";

/*
 * Providers as they are asked, each try of each of them, with what they do told to whoever watches. They are paid for what they
 * were asked, whether or not anybody waited for it; not for what they refused, or failed at before they gave anything.
 */

/** An ear's audio is told in steps, so that a process that dies loses little of it. */
const STT_USAGE_STEP_MS = 5_000;

/** The same ear, whose audio is told: all that it was sent, silence too. */
export function meteredStt(stt: Stt): Stt {
  const { provider, capabilities } = stt;
  return {
    provider,
    capabilities,
    open(options, signal, watch) {
      const stream = stt.open(options, signal);
      if (watch === undefined) return stream;
      const stepSamples = (STT_USAGE_STEP_MS / 1_000) * options.rateHz;
      let samples = 0;
      let nextStep = stepSamples;
      let toldMs = 0;
      const untoldMs = (): number => (stream.sentAudioMs ?? (samples * 1_000) / options.rateHz) - toldMs;
      const tell = (): void => {
        const ms = untoldMs();
        if (ms <= 0) return;
        toldMs += ms;
        watch.used(provider, { audioSeconds: ms / 1_000 });
      };
      // What was not told yet of one that fails without a word was never taken.
      const forget = (): void => {
        toldMs += untoldMs();
      };
      signal.addEventListener("abort", tell, { once: true });
      return {
        write(frame, voiced) {
          stream.write(frame, voiced);
          if (signal.aborted) return;
          samples += frame.length;
          if (samples < nextStep) return;
          nextStep += stepSamples;
          tell();
        },
        events: observedEvents(stream.events, () => watch.responded(provider), forget),
      };
    },
  };
}

async function* observedEvents(
  events: AsyncIterable<SttEvent>,
  onAnswer: () => void,
  onRefusal: () => void,
): AsyncGenerator<SttEvent> {
  let hasAnswered = false;
  try {
    for await (const event of events) {
      hasAnswered = true;
      onAnswer();
      yield event;
    }
  } catch (error) {
    if (!hasAnswered) onRefusal();
    throw error;
  }
}

/** The same model, whose tokens are told; `model` is its name where its provider has several. */
export function meteredLlm(llm: Llm, model?: string): Llm {
  const { provider } = llm;
  const ofModel = model === undefined ? {} : { model };
  return {
    provider,
    ...(llm.contextTokens === undefined ? {} : { contextTokens: llm.contextTokens }),
    prepare: (signal) => llm.prepare?.(signal),
    async *reply(request, signal, watch): AsyncGenerator<LlmEvent> {
      if (watch === undefined) {
        yield* llm.reply(request, signal);
        return;
      }
      const estimate = { ...ofModel, inputTokens: promptTokens(request) };
      watch.requesting(provider, estimate);
      let output = "";
      const account = new UsageAccount(provider, watch, estimate, () => ({
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

/** The same voice, whose characters are told. */
export function meteredTts(tts: ClosableTts): ClosableTts {
  const { provider, capabilities } = tts;
  return {
    provider,
    capabilities,
    voices: () => tts.voices(),
    prepare: (voice, signal) => tts.prepare?.(voice, signal),
    async *speak(request, signal, watch) {
      if (watch === undefined) {
        yield* tts.speak(request, signal);
        return;
      }
      const usage = { characters: [...request.text].length };
      watch.requesting(provider, usage);
      yield* new UsageAccount(provider, watch, usage, () => usage).meter(tts.speak(request, signal), signal);
    },
    close: () => tts.close(),
  };
}

/** What one answer is paid for, told once. */
class UsageAccount {
  readonly #provider: string;
  readonly #observer: ProviderObserver;
  readonly #reserved: Usage;
  readonly #estimate: () => Usage;
  #isSettled = false;

  /** `asked` is what was estimated before the request, `estimate` what it comes to where nothing better is known. */
  constructor(provider: string, watch: ProviderObserver, asked: Usage, estimate: () => Usage) {
    this.#provider = provider;
    this.#observer = watch;
    this.#reserved = asked;
    this.#estimate = estimate;
  }

  settle(usage: Usage): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#observer.used(this.#provider, usage, this.#reserved);
  }

  /** The same items. What nobody waits for any more is settled in the moment of the abort. */
  async *meter<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
    if (signal.aborted) return;
    const settle = (): void => this.settle(this.#estimate());
    let hasAnswered = false;
    signal.addEventListener("abort", settle, { once: true });
    try {
      for await (const item of items) {
        if (!hasAnswered) this.#observer.responded(this.#provider);
        hasAnswered = true;
        yield item;
      }
    } finally {
      signal.removeEventListener("abort", settle);
      if (hasAnswered) settle();
    }
  }
}
