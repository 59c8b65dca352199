import { strict as assert } from "node:assert";
import { TOOL_CALLS_PER_ROUND_MAX, TOOL_ROUNDS_MAX } from "../../core/limits/tools.ts";
import type { Message, ToolCall } from "../../speech/contracts.ts";

/** A tool that the model asked for. */
export interface ToolRun {
  /** Our own name for it, unique in its call: models use theirs again. */
  readonly toolCallId: string;
  readonly call: ToolCall;
  /** What came of it; undefined while it runs. */
  result: string | undefined;
}

interface Round {
  readonly text: string;
  readonly runs: readonly ToolRun[];
  /** How many more it asked for than it may. */
  readonly refused: number;
}

/** What stands in place of a result that is not there: models take no call without one. */
const NO_RESULT = "There is no result yet: the caller went on before it came.";

/** What a model is told that took leave and was interrupted: it would believe itself gone, and take leave for ever. */
const CALL_CONTINUES = "The caller went on before that, and so does the call.";

const tooMany = (refused: number): string =>
  `${refused} more of your calls were not carried out: there may be ${TOOL_CALLS_PER_ROUND_MAX} at once.`;

/**
 * The tools of one reply: the model asks for some, is told what came of them, and goes on, perhaps asking for more. Bounded: past
 * the last round it is offered none.
 */
export class ToolRounds {
  readonly #turnId: number;
  readonly #rounds: Round[] = [];
  #requested: ToolRun[] = [];
  #refused = 0;
  #count = 0;
  /** Runs without a result; counted, because it is asked for with every frame. */
  #pendingCount = 0;

  constructor(turnId: number) {
    this.#turnId = turnId;
  }

  /**
   * The model wants this tool, once it is done talking. Too many are refused, and the model is told; past the last round it was
   * offered none.
   */
  request(call: ToolCall): void {
    if (this.exhausted) return;
    if (this.#requested.length >= TOOL_CALLS_PER_ROUND_MAX) {
      this.#refused += 1;
      return;
    }
    this.#count += 1;
    this.#requested.push({ toolCallId: `${this.#turnId}.${this.#count}`, call, result: undefined });
  }

  /** The model is done: what it said in this round, and the tools it wants, which begin to run now. */
  startRound(text: string): readonly ToolRun[] {
    const runs = this.#requested;
    if (runs.length === 0) return runs;
    this.#rounds.push({ text, runs, refused: this.#refused });
    this.#pendingCount += runs.length;
    this.#requested = [];
    this.#refused = 0;
    return runs;
  }

  /** Puts down what came of a tool; false when it is none of this reply's, or has one already. */
  setResult(toolCallId: string, result: string): boolean {
    const run = this.#find(toolCallId);
    if (run === undefined || run.result !== undefined) return false;
    run.result = result;
    this.#pendingCount -= 1;
    return true;
  }

  /** What was promised of a tool will not be: the call goes on. */
  revoke(toolCallId: string): void {
    const run = this.#find(toolCallId);
    assert.ok(run?.result !== undefined, "only a result that was set can be revoked");
    run.result = CALL_CONTINUES;
  }

  #find(toolCallId: string): ToolRun | undefined {
    return this.#rounds.flatMap(({ runs }) => runs).find((run) => run.toolCallId === toolCallId);
  }

  /** Tools run, and the model waits for them. */
  get running(): boolean {
    return this.#pendingCount > 0;
  }

  /** The model has had its last round. */
  get exhausted(): boolean {
    return this.#rounds.length >= TOOL_ROUNDS_MAX;
  }

  /** What was asked for and what came of it, as the model is told. */
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

/** Rounds of tools, as the model is told of them. */
export type ToolRoundMessages = {
  request: Extract<Message, { role: "assistant" }>;
  results: Extract<Message, { role: "tool" }>[];
}[];
