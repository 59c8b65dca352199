import { isDeepStrictEqual } from "node:util";
import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import { knowledgeOf } from "../../../src/core/calls/spec.ts";
import { asToolCallId } from "../../../src/core/ids.ts";
import { TOOL_CALLS_PER_ROUND_MAX, TOOL_ROUNDS_MAX } from "../../../src/core/limits/agents/tools.ts";
import type { Message } from "../../../src/speech/contracts.ts";
import type { Chronicle } from "../observer/chronicle.ts";
import type { Facts } from "../observer/facts.ts";
import type { Invariant } from "../plan/kinds.ts";
import type { Rule } from "./rule.ts";

const KNOWS: Invariant = "the LLM knows what was heard, and nothing else";
const TOOLS: Invariant = "tools are used within their limits, and their results reach the LLM";

/** The messages of an LLM request: the transcript, the caller's unanswered words, and the results of tools, in order. */
export class Context implements Rule {
  readonly #facts: Facts;
  readonly #chronicle: Chronicle;
  /** What came of each tool that the world carried out. */
  readonly #results = new Map<string, string>();
  readonly #began = new Set<string>();
  /** A result came too late: until the next event nothing may be asked or said. */
  #late = false;
  /** The prompt of the preemptive generation that has not been cancelled. */
  #ahead: Extract<CallCommand, { kind: "preemptive-start" }> | undefined;

  constructor(facts: Facts, chronicle: Chronicle) {
    this.#facts = facts;
    this.#chronicle = chronicle;
  }

  event(event: CallEvent): void {
    this.#late = false;
    if (event.kind !== "tool-result") return;
    this.#late = !this.#facts.lastEventCounts;
    if (!this.#results.has(event.toolCallId)) this.#results.set(event.toolCallId, event.result);
    if (!this.#began.has(event.toolCallId)) this.#wrong(TOOLS, `${event.toolCallId} was never asked for`);
  }

  frameIn(): void {
    this.#late = false;
  }

  command(command: CallCommand): void {
    if (this.#late && (command.kind === "generate-reply" || command.kind === "speak")) {
      this.#wrong(TOOLS, `${command.kind} upon a result that came too late`);
    }
    if (command.kind === "preemptive-start") this.#ahead = command;
    else if (command.kind === "preemptive-cancel") this.#ahead = undefined;
    else if (command.kind === "run-tool") this.#onTool(command);
    else if (command.kind === "generate-reply") this.#onAsk(command);
  }

  #onTool({ toolCallId, name, arguments: given, turnId }: Extract<CallCommand, { kind: "run-tool" }>): void {
    const tool = this.#facts.spec.tools.find((candidate) => candidate.name === name);
    const isFixed = Object.entries(tool?.fixedArguments ?? {}).every(([of, value]) => given[of] === value);
    const isCarriedOut = tool !== undefined && (tool.kind !== "built_in" || tool.name === "query_corpus");
    if (!isCarriedOut || (tool.kind !== "built_in" && !isFixed)) this.#wrong(TOOLS, `${name} is carried out`);
    if (this.#began.has(toolCallId)) this.#wrong(TOOLS, `${toolCallId} is carried out twice`);
    if (this.#facts.reply?.turnId !== turnId) this.#wrong(TOOLS, `${toolCallId} is carried out for no reply`);
    this.#began.add(toolCallId);
  }

  /** A preemptive request, if there was one, must have been the same as the request of the reply. */
  #checkAhead({ messages, tools, language }: Extract<CallCommand, { kind: "generate-reply" }>): void {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead === undefined) return;
    this.#chronicle.note("preemptive-generation");
    const asked = { messages: plain(messages), tools, language };
    const preemptive = { messages: plain(ahead.messages), tools: ahead.tools, language: ahead.language };
    if (isDeepStrictEqual(asked, preemptive)) return;
    const last = [messages, ahead.messages].map((all) => JSON.stringify(all.at(-1)));
    this.#wrong(KNOWS, `asked ${last[0]}, and answers ${last[1]}`);
  }

  #onAsk(asked: Extract<CallCommand, { kind: "generate-reply" }>): void {
    this.#checkAhead(asked);
    const { messages, tools, turnId } = asked;
    const facts = this.#facts;
    const { asks } = facts.replies.get(turnId) ?? { asks: 0 };
    // It was asked once before the first round.
    if (asks > TOOL_ROUNDS_MAX + 1) this.#wrong(TOOLS, `reply ${turnId} is asked for the ${asks}th time`);
    if (asks > TOOL_ROUNDS_MAX && tools.length > 0) this.#wrong(TOOLS, "tools are offered past the last round");
    this.#checkRounds(messages);
    const spoken = messages.filter((message) => isSpoken(message) && !this.#isOfDocuments(message));
    const [system, ...said] = spoken.map(({ role, text }) => ({ role, text }));
    if (system?.role !== "system") this.#wrong(KNOWS, "its prompt lacks the system prompt");
    const turns = facts.turns.map(({ role, text }) => ({ role: role === "agent" ? "assistant" : role, text }));
    const isOpen = said.length === turns.length + 1 && said.at(-1)?.role === "user";
    if (isDeepStrictEqual(isOpen ? said.slice(0, -1) : said, turns)) return;
    this.#wrong(KNOWS, `prompt ${JSON.stringify(said)}, transcript ${JSON.stringify(turns)}`);
  }

  #isOfDocuments({ role, text }: Message): boolean {
    const { fence } = knowledgeOf(this.#facts.spec) ?? {};
    return fence !== undefined && role === "user" && text.includes(fence);
  }

  /** Tool calls are followed by their results, one for each and in order, as they came or as not there yet; more may be said with the last. */
  #checkRounds(messages: readonly Message[]): void {
    for (const [at, message] of messages.entries()) {
      if (message.role !== "assistant" || message.toolCalls === undefined) continue;
      const calls = message.toolCalls;
      const results = messages.slice(at + 1, at + 1 + calls.length);
      const hasResults = calls.every(({ id, name }, n) => isResult(results[n], id, name));
      if (!hasResults || messages[at + 1 + calls.length]?.role === "tool") this.#wrong(TOOLS, "results are missing");
      if (calls.length > TOOL_CALLS_PER_ROUND_MAX) this.#wrong(TOOLS, `${calls.length} calls in one round`);
    }
    const answeredIds = new Set(messages.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : [])));
    for (const key of this.#began)
      if (!answeredIds.has(asToolCallId(key))) this.#wrong(TOOLS, `the prompt lacks ${key}`);
    for (const message of messages) {
      if (message.role !== "tool") continue;
      const result = this.#results.get(message.toolCallId);
      if (result !== undefined && !message.text.startsWith(result))
        this.#wrong(TOOLS, `${message.toolCallId} has no result`);
    }
  }

  #wrong(invariant: Invariant, detail: string): void {
    this.#chronicle.violated(invariant, detail);
  }
}

/** Beside tools a round may have words: of the current reply they are sent as generated, because what the caller will hear is not known yet. */
const isSpoken = (message: Message): boolean =>
  message.role !== "tool" && !(message.role === "assistant" && message.toolCalls !== undefined);

const isResult = (message: Message | undefined, id: string, name: string): boolean =>
  message?.role === "tool" && message.toolCallId === id && message.name === name;

/** A final transcript has capitals and punctuation. */
const plain = (messages: readonly Message[]): Message[] =>
  messages.map((message) =>
    message.role === "user"
      ? {
          ...message,
          text: message.text
            .toLowerCase()
            .replaceAll(/[^a-z0-9]+/g, " ")
            .trim(),
        }
      : message,
  );
