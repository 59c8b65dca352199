import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { FRAME_MS } from "../../../src/core/limits.ts";
import type { Chronicle } from "../chronicle.ts";
import type { SimulatedEar } from "../ear.ts";
import { type Facts, isComplete, isNews, isOver, TICK_MS } from "../facts.ts";
import type { Rule } from "./rule.ts";

const { markGraceMs, finalWaitMs, wordlessVoiceMs, frameLossMs, hangoverMs } = DEFAULT_TURN_PARAMETERS;
/** The longest that turn taking may take over what was said last. */
const ANSWER_WITHIN_MS = finalWaitMs + wordlessVoiceMs + frameLossMs + hangoverMs;

/** What the caller says is heard, understood and answered, all of it, and answers come to their end. */
export class Answers implements Rule {
  readonly #facts: Facts;
  readonly #chronicle: Chronicle;
  readonly #ear: SimulatedEar | undefined;
  readonly #finals: string[] = [];
  #partial = "";
  /** Since when words of the caller wait for an answer; undefined while none do. */
  #waitingMs: number | undefined;

  constructor(facts: Facts, chronicle: Chronicle, ear: SimulatedEar | undefined) {
    this.#facts = facts;
    this.#chronicle = chronicle;
    this.#ear = ear;
  }

  event(event: CallEvent): void {
    if (event.kind !== "ear-partial" && event.kind !== "ear-final") return;
    if (isNews(event, this.#facts.asked)) this.#waitingMs = this.#facts.nowMs;
    this.#partial = event.kind === "ear-partial" ? event.text : "";
    if (event.kind === "ear-final") this.#finals.push(event.text);
  }

  /** Voice may go on with what was said; but not for ever, where an ear would tell the words of it. */
  frameIn(voiced: boolean): void {
    const isSettled = this.#ear?.capabilities.partials === true && this.#partial === "";
    if (voiced && this.#waitingMs !== undefined && !isSettled) this.#waitingMs = this.#facts.nowMs;
  }

  command(command: CallCommand): void {
    if (command.kind === "ask") this.#waitingMs = undefined;
  }

  inspect(): void {
    const { end, nowMs, reply, playsUntilMs, markLateMs, state } = this.#facts;
    if (end !== undefined) return;
    const isAlive = reply !== undefined && !isOver(reply);
    if (!isAlive && state !== "listening") this.#chronicle.violated("no reply hangs", `${state}, without a reply`);
    const dueMs = playsUntilMs + markGraceMs + markLateMs;
    if (isAlive && reply.sentFrames > 0 && isComplete(reply) && nowMs > this.#facts.latestMs(dueMs, TICK_MS)) {
      this.#chronicle.violated("no reply hangs", `reply ${reply.turnId} was played by ${playsUntilMs} ms`);
    }
    // What may not be interrupted is heard out first.
    if (isAlive && this.#waitingMs !== undefined) this.#waitingMs = nowMs;
    this.#checkAnswered();
  }

  over(): void {
    const { framesIn, turns } = this.#facts;
    if (this.#ear === undefined) return;
    const { heardMs, isHonest } = this.#ear;
    // A resampler holds something back.
    if (heardMs < (framesIn - 1) * FRAME_MS) {
      this.#chronicle.violated("the ear hears every frame", `${heardMs} ms of ${framesIn} frames`);
    }
    const told = turns.flatMap(({ role, text }) => (role === "user" ? [text] : [])).join(" ");
    const heard = [...this.#finals, this.#partial].filter((text) => text !== "").join(" ");
    if (!isHonest || told === heard) return;
    const detail = `told ${JSON.stringify(told)}, heard ${JSON.stringify(heard)}`;
    this.#chronicle.violated("no word of the caller is lost or doubled", detail);
  }

  #checkAnswered(): void {
    const { nowMs } = this.#facts;
    if (this.#waitingMs === undefined || this.#ear?.isHonest !== true) return;
    if (nowMs <= this.#facts.latestMs(this.#waitingMs + ANSWER_WITHIN_MS, TICK_MS)) return;
    this.#chronicle.violated("what the caller said is answered", `said by ${this.#waitingMs} ms, at ${nowMs} ms`);
    this.#waitingMs = undefined;
  }
}
