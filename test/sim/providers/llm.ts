import { providerFailed } from "../../../src/core/errors.ts";
import type { Llm, LlmEvent, LlmRequest } from "../../../src/speech/contracts.ts";
import { aborted, sleep } from "../../support/manual-clock.ts";
import type { Random } from "../../support/random.ts";
import type { FaultPlan } from "../plan/fault-plan.ts";
import { agentText } from "../plan/words.ts";
import type { Process } from "../process.ts";
import type { OpenStreams, ProviderOptions } from "./open-streams.ts";

/** How one reply comes; times are ms. `stops` is a stream that is over without its `end`. */
interface Delivery {
  deltas: readonly string[];
  firstMs: number;
  deltaMs: number;
  ending: "ends" | "hangs" | "fails" | "stops";
  /** It says nothing and asks for the same tool again, whether it was offered or not. */
  isToolsOnly: boolean;
}

/** More than any caller listens to, and more than the service has segments for. */
const FAR_TOO_MANY_SENTENCES = 500;
const HANG_UP_CHANCE = 0.2;
const OWN_TOOLS = ["look_up", "ask_page"];

/** An LLM that replies with random words, and misbehaves according to its seed. */
export class SimulatedLlm implements Llm {
  readonly provider = "simulated";
  readonly #process: Process;
  readonly #fate: FaultPlan;
  readonly #streams: OpenStreams;
  #requests = 0;

  constructor({ process, fate, streams }: ProviderOptions) {
    this.#process = process;
    this.#fate = fate;
    this.#streams = streams;
  }

  async *reply(request: LlmRequest, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    this.#requests += 1;
    const ended = this.#streams.begin("llm");
    try {
      const { deltas, firstMs, deltaMs, ending, isToolsOnly } = this.#draw();
      await sleep(this.#process, firstMs, signal);
      for (const text of deltas) {
        if (signal.aborted) return;
        yield { kind: "text", text };
        if (deltaMs > 0) await sleep(this.#process, deltaMs, signal);
      }
      if (ending === "hangs") await aborted(signal);
      if (signal.aborted || ending === "stops") return;
      if (ending === "fails") throw this.#failure();
      if (isToolsOnly) yield { kind: "tool-call", id: "1", name: "look_up", argumentsJson: "" };
      else yield* this.#toolCalls(request);
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
      isToolsOnly: false,
    };
    const breakOff = (ending: Delivery["ending"], after: number): void => {
      delivery.ending = ending;
      delivery.deltas = delivery.deltas.slice(0, after);
    };
    if (this.#fate.occurs("llm-slow", 0.5)) delivery.firstMs = random.between(2_000, 9_000);
    if (this.#fate.occurs("llm-drips", 0.5)) delivery.deltaMs = random.between(100, 400);
    if (this.#fate.occurs("llm-empty-reply", 0.5)) delivery.deltas = [];
    if (this.#fate.occurs("llm-reply-too-long", 0.4)) {
      delivery.deltas = cut(agentText(random, FAR_TOO_MANY_SENTENCES), 800, random);
    }
    if (this.#fate.occurs("endless-tool-rounds", 0.8)) {
      Object.assign(delivery, { deltas: [], firstMs: random.between(5, 100), isToolsOnly: true });
    }
    if (this.#fate.occurs("llm-never-ends", 0.6)) delivery.ending = "stops";
    if (this.#fate.occurs("llm-hangs-at-start", 0.4)) breakOff("hangs", 0);
    if (this.#fate.occurs("llm-hangs-midway", 0.4)) breakOff("hangs", random.whole(1, 12));
    if (this.#fate.occurs("llm-fails-midway", 0.4)) breakOff("fails", random.whole(1, 12));
    if (this.#requests === 1 && this.#fate.occurs("llm-fails-once")) breakOff("fails", 0);
    if (this.#fate.occurs("llm-fails-always")) breakOff("fails", 0);
    return delivery;
  }

  /** Adapters should throw our own error; not all of them always will. */
  #failure(): Error {
    return this.#fate.random.chance(0.7) ? providerFailed(this.provider, "failed as drawn") : new TypeError("as drawn");
  }

  /** Tool calls that it should not make: an LLM without tools may invent one. */
  *#toolCalls({ messages, tools }: LlmRequest): Generator<LlmEvent> {
    const { random, chronicle } = this.#fate;
    let count = 0;
    const call = (name: string, given: object | string): LlmEvent => {
      count += 1;
      const argumentsJson = typeof given === "string" ? given : JSON.stringify(given);
      return { kind: "tool-call", id: String(count), name, argumentsJson };
    };
    if (this.#fate.occurs("unknown-tool", 0.6)) yield call("open_the_door", { which: "front" });
    if (this.#fate.occurs("bad-arguments", 0.6)) yield call("hang_up", "{not json");
    const own = OWN_TOOLS.filter((name) => tools.some((tool) => tool.name === name));
    const isAnswer = messages.at(-1)?.role === "tool";
    if (own.length > 0 && random.chance(isAnswer ? 0.2 : 0.5)) {
      const wanted = this.#fate.occurs("too-many-tools", 0.7) ? random.whole(7, 20) : random.whole(1, 3);
      for (let n = 0; n < wanted; n += 1) yield call(random.pick(own), { n });
    }
    const offers = (name: string): boolean => tools.some((tool) => tool.name === name);
    if (offers("switch_language") && random.chance(0.3)) {
      chronicle.note("language-tool");
      yield call("switch_language", { language: random.pick(["de", "fr-FR", "en"]) });
    }
    if (offers("send_dtmf") && random.chance(0.4)) {
      chronicle.note("dtmf-tool");
      yield call("send_dtmf", { digits: random.pick(["1", "12#", "**7"]) });
    }
    if (offers("transfer") && random.chance(0.1)) {
      chronicle.note("transfer-tool");
      yield call("transfer", { target: "+12025550107" });
    }
    if (offers("query_corpus") && random.chance(isAnswer ? 0.2 : 0.5))
      yield call("query_corpus", { question: random.pick(["What is it?", "How much is it?"]) });
    if (!random.chance(HANG_UP_CHANCE)) return;
    chronicle.note("hang-up-tool");
    yield call("hang_up", {});
  }
}

/** A text in parts of up to `charsMax` characters, cut anywhere. */
function cut(text: string, charsMax: number, random: Random): string[] {
  const deltas: string[] = [];
  for (let at = 0; at < text.length; ) {
    const to = at + random.whole(1, charsMax);
    deltas.push(text.slice(at, to));
    at = to;
  }
  return deltas;
}
