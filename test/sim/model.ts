import { providerFailed } from "../../src/core/errors.ts";
import type { Llm, LlmEvent, LlmRequest } from "../../src/speech/speech.ts";
import { aborted, sleep } from "../support/manual-clock.ts";
import type { Fate } from "./fate.ts";
import type { Process } from "./process.ts";
import type { Random } from "./random.ts";
import type { EngineOptions, OpenStreams } from "./streams.ts";
import { agentText } from "./words.ts";

/** How one reply comes; times are ms. `stops` is a stream that is over without its `end`. */
interface Delivery {
  deltas: readonly string[];
  firstMs: number;
  deltaMs: number;
  ending: "ends" | "hangs" | "fails" | "stops";
}

/** More than any caller hears out, and more than the service has pieces for. */
const FAR_TOO_MANY_SENTENCES = 500;
const HANG_UP_CHANCE = 0.2;

/** A model that answers with words of its own, and misbehaves as its seed will have it. */
export class SimulatedModel implements Llm {
  readonly provider = "simulated";
  readonly #process: Process;
  readonly #fate: Fate;
  readonly #streams: OpenStreams;
  #requests = 0;

  constructor({ process, fate, streams }: EngineOptions) {
    this.#process = process;
    this.#fate = fate;
    this.#streams = streams;
  }

  async *reply(_request: LlmRequest, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    this.#requests += 1;
    const ended = this.#streams.begin("model");
    try {
      const { deltas, firstMs, deltaMs, ending } = this.#draw();
      await sleep(this.#process, firstMs, signal);
      for (const text of deltas) {
        if (signal.aborted) return;
        yield { kind: "text", text };
        if (deltaMs > 0) await sleep(this.#process, deltaMs, signal);
      }
      if (ending === "hangs") await aborted(signal);
      if (signal.aborted || ending === "stops") return;
      if (ending === "fails") throw this.#failure();
      yield* this.#toolCalls();
      yield { kind: "end", inputTokens: 1, outputTokens: deltas.length };
    } finally {
      ended();
    }
  }

  #draw(): Delivery {
    const { random } = this.#fate;
    const delivery: Delivery = {
      deltas: cut(agentText(random, random.whole(1, 4)), 12, random),
      firstMs: random.between(20, 700),
      deltaMs: random.chance(0.5) ? 0 : random.between(2, 40),
      ending: "ends",
    };
    const breakOff = (ending: Delivery["ending"], after: number): void => {
      delivery.ending = ending;
      delivery.deltas = delivery.deltas.slice(0, after);
    };
    if (this.#fate.happens("model-slow", 0.5)) delivery.firstMs = random.between(2_000, 9_000);
    if (this.#fate.happens("model-drips", 0.5)) delivery.deltaMs = random.between(100, 400);
    if (this.#fate.happens("model-says-nothing", 0.5)) delivery.deltas = [];
    if (this.#fate.happens("model-says-too-much", 0.4)) {
      delivery.deltas = cut(agentText(random, FAR_TOO_MANY_SENTENCES), 800, random);
    }
    if (this.#fate.happens("model-never-ends", 0.6)) delivery.ending = "stops";
    if (this.#fate.happens("model-hangs-at-once", 0.4)) breakOff("hangs", 0);
    if (this.#fate.happens("model-hangs-within", 0.4)) breakOff("hangs", random.whole(1, 12));
    if (this.#fate.happens("model-fails-within", 0.4)) breakOff("fails", random.whole(1, 12));
    if (this.#requests === 1 && this.#fate.happens("model-fails-once")) breakOff("fails", 0);
    if (this.#fate.happens("model-fails-always")) breakOff("fails", 0);
    return delivery;
  }

  /** Adapters should throw our own error; not all of them always will. */
  #failure(): Error {
    return this.#fate.random.chance(0.7) ? providerFailed(this.provider, "failed as drawn") : new TypeError("as drawn");
  }

  *#toolCalls(): Generator<LlmEvent> {
    const call = (name: string, argumentsJson: string): LlmEvent => ({
      kind: "tool-call",
      id: "1",
      name,
      argumentsJson,
    });
    if (this.#fate.happens("unknown-tool", 0.6)) yield call("open_the_door", '{"which":"front"}');
    if (this.#fate.happens("bad-arguments", 0.6)) yield call("hang_up", "{not json");
    if (!this.#fate.random.chance(HANG_UP_CHANCE)) return;
    this.#fate.chronicle.note("hang-up-tool");
    yield call("hang_up", "{}");
  }
}

/** A text in pieces of up to `charsMax` characters, cut anywhere. */
function cut(text: string, charsMax: number, random: Random): string[] {
  const deltas: string[] = [];
  for (let at = 0; at < text.length; ) {
    const to = at + random.whole(1, charsMax);
    deltas.push(text.slice(at, to));
    at = to;
  }
  return deltas;
}
