import type { CallCommand } from "../../../src/call/events.ts";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import type { TranscriptTurn } from "../../../src/core/calls/transcript.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import type { Path } from "../network/path.ts";
import type { Chronicle } from "../observer/chronicle.ts";
import type { Facts, ReplyFacts, SegmentFacts } from "../observer/facts.ts";
import type { Invariant } from "../plan/kinds.ts";
import type { Rule } from "./rule.ts";

export interface TranscriptOptions {
  facts: Facts;
  chronicle: Chronicle;
  in: Path;
  out: Path;
  ttsHasWordTimes: boolean;
  /** Of the agent's audio, in samples. */
  frameSamples: number;
}

/** A frame that has begun is played to its end, and the carrier's beat is not ours. */
const BEATS_MS = 2 * FRAME_MS;
const EPSILON_MS = 1e-6;
const { confirmationMs } = DEFAULT_TURN_PARAMETERS;
const UNPLAYED: Invariant = "nothing counts as heard that was not played";
const MISSING: Invariant = "nothing that was played is missing";
const ORDER: Invariant = "turns are in order and within the call";

/** A word of a reply. It may count as heard when `fromMs` of the reply's audio were played, and must be when `toMs` were. */
interface PlacedWord {
  text: string;
  fromMs: number;
  toMs: number;
}

/** Heard is at most what was played, and no less; turns are in order. */
export class Transcript implements Rule {
  readonly #options: TranscriptOptions;

  constructor(options: TranscriptOptions) {
    this.#options = options;
  }

  command(command: CallCommand): void {
    const { facts, chronicle } = this.#options;
    const { reply, nowMs, playsUntilMs, turns } = facts;
    if (command.kind !== "turn" || command.turn.role !== "agent" || reply === undefined) return;
    if (!command.turn.interrupted && playsUntilMs > nowMs + EPSILON_MS) {
      const detail = `reply ${reply.turnId} is over ${playsUntilMs - nowMs} ms before its end`;
      chronicle.violated(UNPLAYED, detail);
    }
    const question = reply.userMessage?.role === "user" ? reply.userMessage.text : undefined;
    if (question === undefined || turns.findLast(({ role }) => role === "user")?.text === question) return;
    chronicle.violated(ORDER, `the answer to ${JSON.stringify(question)} comes before it`);
  }

  over(): void {
    const { facts } = this.#options;
    for (const role of ["agent", "user"] as const) this.#checkOrder(facts.turns.filter((turn) => turn.role === role));
    for (const reply of facts.replies.values()) this.#checkHeard(reply);
  }

  #checkOrder(turns: readonly TranscriptTurn[]): void {
    const { facts, chronicle } = this.#options;
    // A transcript counts in whole milliseconds, rounded.
    const untilMs = Math.round(facts.end?.atMs ?? facts.nowMs);
    let beforeMs = callMs(0);
    for (const { role, startMs, endMs } of turns) {
      if (startMs < beforeMs || endMs < startMs || endMs > callMs(untilMs)) {
        const detail = `${role} ${startMs} to ${endMs} ms, after ${beforeMs} and before ${untilMs}`;
        chronicle.violated(ORDER, detail);
      }
      beforeMs = endMs;
    }
  }

  #checkHeard(reply: ReplyFacts): void {
    const { chronicle } = this.#options;
    const text = reply.turn?.text ?? "";
    const heardCount = text === "" ? 0 : text.split(" ").length;
    const words = this.#placed(reply);
    const spoken = words.slice(0, heardCount).map((word) => word.text);
    if (spoken.join(" ") !== text) {
      chronicle.violated(UNPLAYED, `${JSON.stringify(text)}, where ${JSON.stringify(spoken)} was said`);
      return;
    }
    const playedMs = reply.segments.reduce((sum, segment) => sum + segment.playedFrames * FRAME_MS, 0);
    const { aboveMs, belowMs } = this.#toleranceMs(reply);
    const tell = (word: PlacedWord | undefined): string =>
      `reply ${reply.turnId}: ${JSON.stringify(word)}, played ${playedMs} ms, heard ${heardCount} of ${words.length} words`;
    const unplayed = words.slice(0, heardCount).find((word) => word.fromMs > playedMs + aboveMs);
    if (unplayed !== undefined) chronicle.violated(UNPLAYED, tell(unplayed));
    const missing = words.slice(heardCount).find((word) => word.toMs <= playedMs - belowMs);
    if (missing !== undefined) chronicle.violated(MISSING, tell(missing));
  }

  /**
   * How far what was played may be from what counts as heard. A reply that the service cancelled is played until the service's word reaches
   * the carrier, as much later as its audio did. One that the other side broke off counts as heard as far as the line confirmed it, however
   * long the service did not know. And late marks move the heard position back.
   */
  #toleranceMs(reply: ReplyFacts): { aboveMs: number; belowMs: number } {
    const { facts, in: there, out } = this.#options;
    const stalledMs = Math.max(0, ...facts.process.stalls.map(({ fromMs, untilMs }) => untilMs - fromMs));
    const unknownMs = facts.reply === reply ? there.longestMs + out.longestMs + stalledMs + confirmationMs : 0;
    return {
      aboveMs: BEATS_MS + out.spreadMs + unknownMs,
      belowMs: BEATS_MS + out.spreadMs + facts.markLateMs + reply.unconfirmedMs,
    };
  }

  #placed({ segments }: ReplyFacts): PlacedWord[] {
    let atMs = 0;
    const words: PlacedWord[] = [];
    for (const segment of segments) {
      words.push(...this.#wordsOf(segment, atMs));
      atMs += Math.ceil((segment.spoken?.legSamples ?? 0) / this.#options.frameSamples) * FRAME_MS;
    }
    return words;
  }

  /** Without word times the service interpolates within a segment. Words that the TTS was not asked for, or left out, are never heard. */
  #wordsOf({ text, spoken }: SegmentFacts, atMs: number): PlacedWord[] {
    const never = Number.POSITIVE_INFINITY;
    if (spoken === undefined) return text.split(" ").map((word) => ({ text: word, fromMs: never, toMs: never }));
    const endMs = atMs + (spoken.words.at(-1)?.endMs ?? 0);
    return spoken.words.map((word) =>
      this.#options.ttsHasWordTimes
        ? { text: word.text, fromMs: atMs + word.endMs, toMs: atMs + word.endMs }
        : { text: word.text, fromMs: atMs, toMs: endMs },
    );
  }
}
