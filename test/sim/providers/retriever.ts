import { unavailable } from "../../../src/core/errors.ts";
import type { RetrievalAnswer, RetrievalQuestion, Retriever } from "../../../src/core/knowledge/passages.ts";
import { passage } from "../../support/knowledge/passages.ts";
import { aborted, sleep } from "../../support/manual-clock.ts";
import type { ProviderOptions } from "./open-streams.ts";
import { RESULT } from "./tools.ts";

const HANGS_CHANCE = 0.05;
const FAILS_CHANCE = 0.1;
const SLOW_CHANCE = 0.2;
const EMPTY_CHANCE = 0.1;

/** The index that the corpora of a call are asked in, which answers as its seed will have it, or not at all. */
export class SimulatedRetriever implements Retriever {
  readonly #options: ProviderOptions;

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  async query(_question: RetrievalQuestion, signal: AbortSignal): Promise<RetrievalAnswer> {
    const { process, fate, streams } = this.#options;
    const { random, chronicle } = fate;
    chronicle.note("passages");
    const ended = streams.begin("retriever");
    try {
      if (random.chance(HANGS_CHANCE)) await aborted(signal);
      const tookMs = random.chance(SLOW_CHANCE) ? random.whole(100, 900) : random.whole(2, 30);
      await sleep(process, tookMs, signal);
      if (random.chance(FAILS_CHANCE)) throw unavailable("as drawn");
      const count = random.chance(EMPTY_CHANCE) ? 0 : random.whole(1, 3);
      const passages = Array.from({ length: count }, (_, ordinal) => passage(`${RESULT} ${ordinal}`, { ordinal }));
      return { passages, tookMs };
    } finally {
      ended();
    }
  }
}
