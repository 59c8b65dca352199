import { providerFailed } from "../../../src/core/errors.ts";
import type { PartOutcome } from "../../../src/core/transcriptions/part.ts";
import type { AccountBatchStt, BatchRequest, BatchStt } from "../../../src/speech/stt/batch/contract.ts";

export interface ScriptedSttOptions {
  capabilities?: Partial<BatchStt["capabilities"]>;
  /** What happens to each request, the first one first; afterwards all succeed. */
  outcomes?: readonly ("ok" | "fails" | "hangs")[];
}

/** Batch providers that understand every part as one word, its number. */
export class ScriptedStt implements AccountBatchStt {
  readonly capabilities: BatchStt["capabilities"];
  readonly requests: BatchRequest[] = [];
  /** How many requests were in progress at once, at most. */
  concurrent = 0;
  readonly #outcomes: readonly ("ok" | "fails" | "hangs")[];
  #inProgress = 0;

  constructor({ capabilities = {}, outcomes = [] }: ScriptedSttOptions = {}) {
    this.capabilities = {
      partMsMin: 0,
      partMsMax: 10_000,
      speakersPartMsMax: 60_000,
      vocabulary: true,
      detectsLanguage: true,
      concurrentMax: 3,
      ...capabilities,
    };
    this.#outcomes = outcomes;
  }

  async transcribe(
    request: BatchRequest,
    signal: AbortSignal,
    onRequest: (provider: string) => Promise<void>,
  ): Promise<PartOutcome> {
    await onRequest("scripted");
    const number = this.requests.push(request);
    this.#inProgress += 1;
    this.concurrent = Math.max(this.concurrent, this.#inProgress);
    try {
      await this.#outcome(this.#outcomes[number - 1] ?? "ok", signal);
    } finally {
      this.#inProgress -= 1;
    }
    const endMs = request.samples.length / 16;
    const usage = [{ provider: "scripted", audioSeconds: endMs / 1_000 }];
    return {
      words: [{ text: `word-${number}`, startMs: 0, endMs }],
      hasEstimatedTimes: false,
      provider: "scripted",
      usage,
    };
  }

  async #outcome(outcome: "ok" | "fails" | "hangs", signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    if (outcome === "fails") throw providerFailed("scripted", "refused with status 500");
    if (outcome !== "hangs") return;
    signal.throwIfAborted();
    await new Promise<void>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  }
}
