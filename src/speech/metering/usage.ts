import type { Usage } from "../../core/billing/usage.ts";
import type {
  CallStt,
  LlmEvent,
  LlmRequest,
  ProviderObserver,
  Stt,
  SttEvent,
  TtsChunk,
  TtsRequest,
} from "../contracts.ts";
import { promptTokens } from "../llm/prompt/prompt-tokens.ts";
import { textTokens } from "../llm/prompt/text-tokens.ts";

/*
 * Each attempt of a provider, and its usage, is reported to an observer. Providers bill what they were asked for, also
 * if the request was cancelled later. They do not bill requests that they refused, or that failed before any output.
 */

/** Counts the usage of one request. */
interface RequestMeter<Item> {
  /** What the request will use, before it is sent. */
  readonly estimate: Usage;
  /** Counts an item. Returns the usage that the provider reports with it, if it does. */
  count?(item: Item): Usage | undefined;
  /** What has been used so far, where the provider has not reported it. */
  used(): Usage;
}

/** How the requests to a provider are counted. */
export type Metering<Request, Item> = (request: Request) => RequestMeter<Item>;

/** Counts the characters of a TTS request. */
export const ttsMetering: Metering<TtsRequest, TtsChunk> = ({ text }) => {
  const usage = { characters: [...text].length };
  return { estimate: usage, used: () => usage };
};

/** Counts the tokens of an LLM request; `model` is its name where its provider has several. */
export const llmMetering =
  (model?: string): Metering<LlmRequest, LlmEvent> =>
  (request) => {
    const ofModel = model === undefined ? {} : { model };
    const estimate = { ...ofModel, inputTokens: promptTokens(request) };
    let output = "";
    return {
      estimate,
      count(event) {
        if (event.kind === "text") output += event.text;
        else if (event.kind === "tool-call") output += event.name + event.argumentsJson;
        else if (event.inputTokens + event.outputTokens > 0)
          return { ...ofModel, inputTokens: event.inputTokens, outputTokens: event.outputTokens };
        return undefined;
      },
      used: () => ({ ...estimate, outputTokens: textTokens(output), approximate: true }),
    };
  };

/** STT usage is reported in steps, so that a process that dies loses little of it. */
const STT_USAGE_STEP_MS = 5_000;

/** Wraps `stt` and reports its audio: all that was sent to it, silence too. */
export function meteredStt(stt: Stt): CallStt {
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
        write(frame, activity) {
          stream.write(frame, activity);
          if (signal.aborted) return;
          samples += frame.length;
          if (samples < nextStep) return;
          nextStep += stepSamples;
          report();
        },
        ...(stream.requestInterim && { requestInterim: () => stream.requestInterim?.() }),
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

/** Reports the usage of one request to its observer, once. */
export class RequestUsage<Item> {
  readonly #provider: string;
  readonly #observer: ProviderObserver;
  readonly #meter: RequestMeter<Item>;
  #hasResponded = false;
  /** The request has been sent, and its usage has not been reported. */
  #isPending = false;

  constructor(provider: string, observer: ProviderObserver, meter: RequestMeter<Item>) {
    this.#provider = provider;
    this.#observer = observer;
    this.#meter = meter;
  }

  /** The request is sent now. Throws `spend_limit` if it must not be. */
  requesting(): void {
    this.#observer.requesting(this.#provider, this.#meter.estimate);
    this.#isPending = true;
  }

  received(item: Item): void {
    if (!this.#hasResponded) this.#observer.responded(this.#provider);
    this.#hasResponded = true;
    const reported = this.#meter.count?.(item);
    if (reported !== undefined) this.#report(reported);
  }

  /** The request was cancelled: it is billed, whether or not the provider has responded. */
  cancel(): void {
    if (this.#isPending) this.#report(this.#meter.used());
  }

  /** The provider has ended its response or has failed. */
  end(): void {
    if (this.#hasResponded) this.cancel();
    this.#isPending = false;
  }

  #report(usage: Usage): void {
    if (!this.#isPending) return;
    this.#isPending = false;
    this.#observer.used(this.#provider, usage, this.#meter.estimate);
  }
}
