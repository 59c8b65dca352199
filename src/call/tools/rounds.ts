import { strict as assert } from "node:assert";
import type { BuiltInTool } from "../../core/calls/spec.ts";
import { asToolCallId, type ToolCallId, type TurnId } from "../../core/ids.ts";
import { TOOL_CALLS_PER_ROUND_MAX, TOOL_ROUNDS_MAX } from "../../core/limits/agents/tools.ts";
import type { Message, ToolCall } from "../../speech/contracts.ts";

/** A tool call of the LLM. */
export interface ToolRun {
  /** Our id, unique within the call: models reuse theirs. */
  readonly toolCallId: ToolCallId;
  readonly call: ToolCall;
  /** Undefined while the tool runs. */
  result: string | undefined;
}

interface Round {
  readonly text: string;
  readonly runs: readonly ToolRun[];
  /** Tool calls beyond the limit. */
  readonly refused: number;
}

/** The tool whose results are passages of documents. */
const PASSAGES_TOOL: BuiltInTool = "query_corpus";

/** Stands for a missing result: LLM APIs accept no tool call without one. */
const NO_RESULT = "There is no result yet: the caller went on before it came.";

/**
 * Result of a hang-up or transfer that was interrupted. Otherwise the LLM would assume that the call is over and hang
 * up for ever.
 */
const CALL_CONTINUES = "The caller went on before that, and so does the call.";

const tooMany = (refused: number): string =>
  `${refused} more of your calls were not carried out: there may be ${TOOL_CALLS_PER_ROUND_MAX} at once.`;

/**
 * The tool calls of one reply: the LLM calls tools, gets their results and continues, perhaps with more calls. The
 * number of rounds is bounded: after the last one no tools are offered.
 */
export class ToolRounds {
  readonly #turnId: TurnId;
  readonly #rounds: Round[] = [];
  #requested: ToolRun[] = [];
  #refused = 0;
  #count = 0;
  /** Runs without a result; counted, because it is read on every frame. */
  #pendingCount = 0;

  constructor(turnId: TurnId) {
    this.#turnId = turnId;
  }

  /**
   * Adds a tool call, which starts when the LLM has finished this round. Calls beyond the limit are refused with an
   * error result for the LLM. After the last round tool calls are ignored, because none were offered.
   */
  request(call: ToolCall): void {
    if (this.exhausted) return;
    if (this.#requested.length >= TOOL_CALLS_PER_ROUND_MAX) {
      this.#refused += 1;
      return;
    }
    this.#count += 1;
    this.#requested.push({ toolCallId: asToolCallId(`${this.#turnId}.${this.#count}`), call, result: undefined });
  }

  /** The LLM has finished this round: stores its text and returns the tool calls to run now. */
  startRound(text: string): readonly ToolRun[] {
    const runs = this.#requested;
    if (runs.length === 0) return runs;
    this.#rounds.push({ text, runs, refused: this.#refused });
    this.#pendingCount += runs.length;
    this.#requested = [];
    this.#refused = 0;
    return runs;
  }

  /** Stores a tool's result; false when the tool call is not of this reply, or has a result already. */
  setResult(toolCallId: ToolCallId, result: string): boolean {
    const run = this.#find(toolCallId);
    if (run === undefined || run.result !== undefined) return false;
    run.result = result;
    this.#pendingCount -= 1;
    return true;
  }

  /** Replaces a result that announced the end of the call: the call continues. */
  revoke(toolCallId: ToolCallId): void {
    const run = this.#find(toolCallId);
    assert.ok(run?.result !== undefined, "only a result that was set can be revoked");
    run.result = CALL_CONTINUES;
  }

  /** A round before the next request has asked corpora. */
  get hasReadPassages(): boolean {
    return this.#rounds.some(({ runs }) => runs.some(({ call }) => call.name === PASSAGES_TOOL));
  }

  #find(toolCallId: ToolCallId): ToolRun | undefined {
    return this.#rounds.flatMap(({ runs }) => runs).find((run) => run.toolCallId === toolCallId);
  }

  /** Tools are running, and the LLM waits for their results. */
  get running(): boolean {
    return this.#pendingCount > 0;
  }

  /** The names of the tools that are running, in the order of their calls. */
  get runningNames(): readonly string[] {
    return this.#rounds.flatMap(({ runs }) =>
      runs.filter(({ result }) => result === undefined).map(({ call }) => call.name),
    );
  }

  /** The LLM has had its last round. */
  get exhausted(): boolean {
    return this.#rounds.length >= TOOL_ROUNDS_MAX;
  }

  /** The tool calls and results as messages for the LLM. */
  messages(): ToolRoundMessages {
    return this.#rounds.map(({ text, runs, refused }) => ({
      request: {
        role: "assistant",
        text,
        toolCalls: runs.map(({ toolCallId, call }) => ({ ...call, id: toolCallId, providerCallId: call.id })),
      },
      results: runs.map(({ toolCallId, call: { name }, result = NO_RESULT }, index) => ({
        role: "tool",
        toolCallId,
        name,
        text: refused > 0 && index === runs.length - 1 ? `${result}\n${tooMany(refused)}` : result,
      })),
    }));
  }
}

/** Rounds of tool calls as messages for the LLM. */
export type ToolRoundMessages = {
  request: Extract<Message, { role: "assistant" }>;
  results: Extract<Message, { role: "tool" }>[];
}[];
