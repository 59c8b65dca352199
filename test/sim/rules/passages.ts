import type { CallCommand } from "../../../src/call/events.ts";
import { knowledgeOf } from "../../../src/core/calls/spec.ts";
import { hasEffects } from "../../../src/core/tools/effects.ts";
import type { Chronicle } from "../observer/chronicle.ts";
import { type Facts, isOver, TICK_MS } from "../observer/facts.ts";
import type { Invariant } from "../plan/kinds.ts";
import type { Rule } from "./rule.ts";

const PASSAGES: Invariant = "an answer has its passages, and waits for them briefly";

/** Passages stand in the prompts of their reply and in no other, and tools with effects wait for the caller after they were read. */
export class Passages implements Rule {
  readonly #facts: Facts;
  readonly #chronicle: Chronicle;
  /** How many passages each reply has. */
  readonly #used = new Map<number, number>();
  /** Questions that have no end yet. */
  readonly #open = new Set<number>();
  #awaited: { turnId: number; dueMs: number } | undefined;

  constructor(facts: Facts, chronicle: Chronicle) {
    this.#facts = facts;
    this.#chronicle = chronicle;
  }

  command(command: CallCommand): void {
    switch (command.kind) {
      case "retrieve":
        this.#open.add(command.retrieval);
        return;
      case "await-passages":
        this.#awaited = { turnId: command.turnId, dueMs: this.#facts.nowMs + command.waitMsMax };
        return;
      case "cancel-reply":
        if (this.#awaited?.turnId === command.turnId) this.#awaited = undefined;
        return;
      case "passages-used":
        this.#open.delete(command.retrieval);
        this.#used.set(command.turnId, command.passages.length);
        if (command.waitMs > 0) this.#chronicle.note("passages-awaited");
        return;
      case "retrieval-ended":
        if (!this.#open.delete(command.retrieval)) this.#wrong(`question ${command.retrieval} ends twice`);
        if (command.outcome === "late") this.#chronicle.note("passages-late");
        return;
      case "generate-reply":
        this.#awaited = undefined;
        this.#checkPrompt(command);
        return;
      case "end":
        if (this.#open.size > 0) this.#wrong(`questions ${[...this.#open].join()} have no end`);
        return;
      default:
        return;
    }
  }

  inspect(): void {
    const { nowMs, reply, end } = this.#facts;
    if (end !== undefined || this.#awaited === undefined || reply === undefined || isOver(reply)) return;
    if (nowMs <= this.#facts.latestMs(this.#awaited.dueMs, TICK_MS)) return;
    this.#wrong(`reply ${this.#awaited.turnId} waits at ${nowMs} ms, and was due at ${this.#awaited.dueMs} ms`);
  }

  #checkPrompt({ turnId, messages, tools }: Extract<CallCommand, { kind: "generate-reply" }>): void {
    const knowledge = knowledgeOf(this.#facts.spec);
    if (knowledge === undefined) return;
    const blocks = messages.filter(({ role, text }) => role === "user" && text.includes(knowledge.fence)).length;
    const expected = (this.#used.get(turnId) ?? 0) > 0 ? 1 : 0;
    if (blocks !== expected) this.#wrong(`the prompt of reply ${turnId} has ${blocks} blocks, not ${expected}`);
    const lastWords = messages.findLastIndex(({ role, text }) => role === "user" && !text.includes(knowledge.fence));
    const hasRead = messages
      .slice(lastWords + 1)
      .some((message) => message.role === "tool" && message.name === "query_corpus");
    if (!hasRead) return;
    const effective = this.#facts.spec.tools.filter(hasEffects).map(({ name }) => name);
    const offered = tools.filter(({ name }) => effective.includes(name)).map(({ name }) => name);
    if (offered.length > 0) this.#wrong(`${offered.join()} is offered after passages were read`);
  }

  #wrong(detail: string): void {
    this.#chronicle.violated(PASSAGES, detail);
  }
}
