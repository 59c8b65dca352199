import { DEFAULT_TURN_PARAMETERS, PREEMPTIVE_TURN_PARAMETERS } from "../../src/call/parameters.ts";
import { type Random, seededRandom } from "../../src/cli/simulated/seeded-random.ts";
import { VirtualCall } from "../../test/support/virtual-call.ts";
import { median } from "../statistics.ts";

export interface AheadOptions {
  /** Turns for each row. */
  turns: number;
  /** The model's time to its first token, ms. */
  modelMs: number;
  seed: number;
}

/** What callers do and an ear is like, for one pair of rows. */
export interface AheadCase {
  title: string;
  /** From the end of a word to when the ear tells it, and from the last of these to its final, ms. */
  partialMs: number;
  finalMs: number;
  /** Of turns with a pause in the middle of 200 to 450 ms, and of those of which the ear thinks better in the end. */
  pauses: number;
  corrections: number;
}

export interface AheadRow {
  title: string;
  preemptive: boolean;
  /** From the caller's last voiced frame to the agent's first frame, the median and the last tenth, ms. */
  p50Ms: number;
  p90Ms: number;
  /** Questions that the model was asked, for each that was answered. */
  questions: number;
}

export const CASES: readonly AheadCase[] = [
  { title: "a quick ear", partialMs: 100, finalMs: 200, pauses: 0.3, corrections: 0.1 },
  { title: "a slow ear", partialMs: 250, finalMs: 700, pauses: 0.3, corrections: 0.1 },
  { title: "a quick ear, callers who hesitate", partialMs: 100, finalMs: 200, pauses: 1, corrections: 0.1 },
];

const WORD_MS = 300;
const QUESTIONS = [
  "when are you open",
  "how much is a loaf of rye bread",
  "could you tell me where your shop is",
  "do you have any cake without nuts",
  "I would like to order nine rolls for tomorrow morning",
  "can I pay by card",
].map((question) => question.split(" "));

/** Each case without preemptive replies and with them; the same callers in both. Virtual time: the same figures for the same seed. */
export const runAheadBench = (options: AheadOptions): AheadRow[] =>
  CASES.flatMap((one) => [false, true].map((preemptive) => rowOf(one, preemptive, options)));

function rowOf(one: AheadCase, preemptive: boolean, { turns, modelMs, seed }: AheadOptions): AheadRow {
  const random = seededRandom(seed);
  const tookMs: number[] = [];
  let questions = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    const call = askedCall(one, preemptive, modelMs, random);
    const answer = call.turns.find(({ role }) => role === "agent");
    if (answer?.latency === undefined) throw new Error("a question was not answered");
    tookMs.push(answer.latency.firstFrameMs);
    questions += call.commands.filter(({ command }) => isNewQuestion(command.kind)).length;
    // An answer that was there is asked for once more by name, and costs nothing.
    questions -= keptIn(call);
  }
  const sorted = [...tookMs].sort((a, b) => a - b);
  const p90Ms = sorted[Math.ceil(0.9 * sorted.length) - 1] ?? Number.NaN;
  return { title: one.title, preemptive, p50Ms: median(tookMs), p90Ms, questions: questions / turns };
}

const isNewQuestion = (kind: string): boolean => kind === "ask" || kind === "ask-ahead";

/** How many answers were there when they were asked for. */
function keptIn(call: VirtualCall): number {
  let kept = 0;
  let isAhead = false;
  for (const { command } of call.commands) {
    if (command.kind === "ask-ahead") isAhead = true;
    else if (command.kind === "forget-ahead") isAhead = false;
    else if (command.kind === "ask") {
      if (isAhead) kept += 1;
      isAhead = false;
    }
  }
  return kept;
}

/** One call of one question. */
function askedCall(one: AheadCase, preemptive: boolean, modelMs: number, random: Random): VirtualCall {
  const call = new VirtualCall({
    spec: { firstSpeaker: "user" },
    greeting: "none",
    parameters: preemptive ? PREEMPTIVE_TURN_PARAMETERS : DEFAULT_TURN_PARAMETERS,
    answer: () => ({ text: "From nine to five.", afterMs: modelMs }),
  });
  call.at(0, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  const words = QUESTIONS[Math.floor(random() * QUESTIONS.length)] ?? [];
  const pauseBehind = random() < one.pauses ? 1 + Math.floor(random() * (words.length - 2)) : -1;
  const pauseMs = 200 + Math.floor(random() * 250);
  const isCorrected = random() < one.corrections;
  let atMs = 1_000 + Math.floor(random() * 20);
  for (const [index, word] of words.entries()) {
    call.coughs(atMs, WORD_MS);
    atMs += WORD_MS;
    const isLast = index === words.length - 1;
    const heard = [...words.slice(0, index), isLast && isCorrected ? "something" : word].join(" ");
    call.at(atMs + one.partialMs, () => call.handle({ kind: "ear-partial", text: heard }));
    if (index === pauseBehind) atMs += pauseMs;
  }
  call.at(atMs + Math.max(one.partialMs, one.finalMs), () => call.handle({ kind: "ear-final", text: words.join(" ") }));
  call.run(atMs + 20_000);
  return call;
}

/** The rows as a table. */
export function aheadText(rows: readonly AheadRow[]): string {
  const lines = rows.map(({ title, preemptive, p50Ms, p90Ms, questions }) =>
    [
      title.padEnd(36),
      (preemptive ? "on" : "off").padEnd(10),
      `${Math.round(p50Ms)} ms`.padStart(8),
      `${Math.round(p90Ms)} ms`.padStart(8),
      questions.toFixed(2).padStart(10),
    ].join("  "),
  );
  const head = ["".padEnd(36), "preemptive", "p50".padStart(8), "p90".padStart(8), "questions".padStart(10)].join("  ");
  return [head, ...lines].join("\n");
}
