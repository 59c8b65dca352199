import { type CallSpec, knowledgeOf } from "../../core/calls/spec.ts";
import { addMs, type CallMs, callMs } from "../../core/clocks.ts";
import type { TurnId } from "../../core/ids.ts";
import { type CallKnowledge, referenceOf } from "../../core/knowledge/call-knowledge.ts";
import type { Passage } from "../../core/knowledge/passages.ts";
import {
  RETRIEVAL_CHANGE_CHARS_MIN,
  RETRIEVAL_INTERVAL_MS,
  RETRIEVAL_ONLY_WAIT_MS_MAX,
  RETRIEVAL_QUESTION_CHARS_MAX,
  RETRIEVAL_WAIT_MS_MAX,
  RETRIEVALS_PER_TURN_MAX,
} from "../../core/limits/knowledge/call-knowledge.ts";
import { plainWords } from "../../core/text/plain-words.ts";
import type { Message } from "../../speech/contracts.ts";
import type { Conversation } from "../conversation.ts";
import type { CallEvent, CallSink } from "../events.ts";
import { passagesText } from "./passages-block.ts";

/** For a call whose corpora are asked for every turn; undefined for any other. */
export function turnRetrievalOf(spec: CallSpec, conversation: Conversation, sink: CallSink): TurnRetrieval | undefined {
  const knowledge = knowledgeOf(spec);
  if (knowledge?.retrieval !== "always" || knowledge.corpora.length === 0) return undefined;
  return new TurnRetrieval(knowledge, conversation, sink);
}

/** Passages for what the caller has said. */
export interface FoundPassages {
  readonly retrieval: number;
  readonly tookMs: number;
  readonly passages: readonly Passage[];
  /** For the prompt; undefined where nothing was found. */
  readonly message: Message | undefined;
}

/** The latest question to the corpora within the caller's turn. */
interface Question {
  readonly retrieval: number;
  readonly plainText: string;
  readonly askedMs: CallMs;
}

/**
 * Fetches passages for every turn of the caller while the caller still speaks, so that they are there when the turn is over. A
 * question takes the place of the one before it. The answer to the turn waits for the last one a little, and otherwise has the passages
 * to the words before. Times are ms of call time.
 */
export class TurnRetrieval {
  readonly #knowledge: CallKnowledge;
  readonly #conversation: Conversation;
  readonly #sink: CallSink;
  /** Questions of the call, and of the caller's turn before its end; and the turn's number. */
  #count = 0;
  #countOfTurn = 0;
  #callerTurns = 0;
  /** What the caller has said and is not answered yet, and its plain words; empty while it could not be answered. */
  #text = "";
  #plainText = "";
  #isFinal = false;
  #question: Question | undefined;
  /** It has no answer yet. */
  #isPending = false;
  #found: FoundPassages | undefined;
  #isFoundUsed = false;
  /** The turn is over, and its answer is to have the passages: what is pending stays. */
  #isTurnOver = false;

  constructor(knowledge: CallKnowledge, conversation: Conversation, sink: CallSink) {
    this.#knowledge = knowledge;
    this.#conversation = conversation;
    this.#sink = sink;
  }

  /** The latest passages of the caller's turn. */
  get found(): FoundPassages | undefined {
    return this.#found;
  }

  /** The number of the latest question. */
  get asked(): number {
    return this.#count;
  }

  /** There are no passages yet to what the caller has said, and they may still come. */
  get isUnanswered(): boolean {
    return this.#isPending || this.#isStale;
  }

  /** The answer to the caller's turn is to wait. */
  get isAwaited(): boolean {
    return this.#isTurnOver && this.#isPending;
  }

  /** How long the answer may wait, ms. */
  get waitMsMax(): number {
    return this.#found === undefined ? RETRIEVAL_ONLY_WAIT_MS_MAX : RETRIEVAL_WAIT_MS_MAX;
  }

  get #isStale(): boolean {
    return this.#plainText !== "" && this.#plainText !== this.#question?.plainText;
  }

  /**
   * Sets what the caller has said so far, or "" while it could not be answered; `isFinal` when no interim words remain.
   */
  update(text: string, isFinal: boolean): void {
    this.#beginTurn();
    this.#isFinal = isFinal;
    this.#setText(text === "" ? "" : this.#conversation.turnTextWith(text));
    if (this.#plainText === "" && !this.#isTurnOver) this.#cancel();
  }

  /** Asks where the words have changed enough. `isPausing`: the caller is silent. */
  startIfDue(isPausing: boolean, language: string, nowMs: CallMs): void {
    if (!this.#isStale || this.#isTurnOver || this.#countOfTurn >= RETRIEVALS_PER_TURN_MAX) return;
    if (!isPausing && !this.#isFinal && !this.#hasChangedEnough(nowMs)) return;
    this.#countOfTurn += 1;
    this.#ask(language, nowMs);
  }

  #hasChangedEnough(nowMs: CallMs): boolean {
    const { plainText = "", askedMs = callMs(Number.NEGATIVE_INFINITY) } = this.#question ?? {};
    if (nowMs < addMs(askedMs, RETRIEVAL_INTERVAL_MS)) return false;
    const isContinued = this.#plainText.startsWith(plainText);
    return !isContinued || this.#plainText.length >= plainText.length + RETRIEVAL_CHANGE_CHARS_MIN;
  }

  /** The caller's turn is over, and its words are pending in the conversation. */
  turnEnded(language: string, nowMs: CallMs): void {
    this.#beginTurn();
    this.#setText(this.#conversation.turnTextWith(""));
    this.#isTurnOver = true;
    if (this.#isStale) this.#ask(language, nowMs);
  }

  #setText(text: string): void {
    this.#text = text;
    this.#plainText = plainWords(text);
  }

  #ask(language: string, nowMs: CallMs): void {
    this.#cancel();
    this.#count += 1;
    const retrieval = this.#count;
    this.#question = { retrieval, plainText: this.#plainText, askedMs: nowMs };
    this.#isPending = true;
    const question = this.#text.slice(-RETRIEVAL_QUESTION_CHARS_MAX);
    this.#sink({ kind: "retrieve", retrieval, question, language });
  }

  /** The answer of the corpora, or their failure. That to an earlier question changes nothing. */
  received(event: Extract<CallEvent, { kind: "passages" | "retrieval-failed" }>): void {
    if (!this.#isPending || event.retrieval !== this.#question?.retrieval) return;
    this.#isPending = false;
    if (event.kind === "retrieval-failed") {
      this.#sink({ kind: "retrieval-ended", retrieval: event.retrieval, outcome: "failed" });
      return;
    }
    this.#dropFound();
    const { retrieval, tookMs, passages } = event;
    const text = passages.length === 0 ? undefined : passagesText(passages, this.#knowledge.fence);
    this.#found = { retrieval, tookMs, passages, message: text === undefined ? undefined : { role: "user", text } };
  }

  /** The passages for the answer to the caller's turn, which has waited for `waitMs` and waits no longer. */
  take(turnId: TurnId, waitMs: number): FoundPassages | undefined {
    this.#isTurnOver = false;
    this.#end("late");
    const found = this.#found;
    if (found === undefined) return undefined;
    this.#isFoundUsed = true;
    const { retrieval, tookMs } = found;
    const passages = found.passages.map(referenceOf);
    this.#sink({ kind: "passages-used", turnId, retrieval, tookMs, waitMs: Math.round(waitMs), passages });
    return found;
  }

  /** The answer that waits is gone before it was requested. */
  release(): void {
    this.#isTurnOver = false;
  }

  /** The call is over. */
  stop(): void {
    this.#cancel();
    this.#dropFound();
  }

  #beginTurn(): void {
    const { callerTurns } = this.#conversation;
    if (callerTurns === this.#callerTurns) return;
    this.#callerTurns = callerTurns;
    this.#countOfTurn = 0;
    this.#cancel();
    this.#dropFound();
    this.#question = undefined;
  }

  #cancel(): void {
    this.#end("cancelled");
  }

  /** Ends the pending question without an answer. The same words may be asked again. */
  #end(outcome: "late" | "cancelled"): void {
    if (!this.#isPending || this.#question === undefined) return;
    const { retrieval } = this.#question;
    this.#isPending = false;
    this.#question = undefined;
    this.#sink({ kind: "retrieval-ended", retrieval, outcome });
  }

  #dropFound(): void {
    const { retrieval } = this.#found ?? {};
    if (retrieval !== undefined && !this.#isFoundUsed)
      this.#sink({ kind: "retrieval-ended", retrieval, outcome: "unused" });
    this.#found = undefined;
    this.#isFoundUsed = false;
  }
}
