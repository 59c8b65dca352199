import { DEFAULT_TURN_PARAMETERS, PREEMPTIVE_TURN_PARAMETERS } from "../../src/call/parameters.ts";
import { type Random, seededRandom } from "../../src/core/seeded-random.ts";
import { VirtualCall } from "../../test/support/calls/virtual-call.ts";
import { median } from "../harness/statistics.ts";

export interface PreemptiveBenchOptions {
  /** Turns for each row. */
  turns: number;
  /** The LLM's time to its first token, ms. */
  llmMs: number;
  seed: number;
}

/** How callers speak and how fast the STT is, for one pair of rows. */
export interface PreemptiveCase {
  title: string;
  /** From the end of a word to its interim transcript, and from the last of these to the final, ms. */
  partialMs: number;
  finalMs: number;
  /** Of turns with a pause in the middle of 200 to 450 ms, and of those that the final transcript corrects. */
  pauses: number;
  corrections: number;
}

export interface PreemptiveRow {
  title: string;
  preemptive: boolean;
  /** From the caller's last voiced frame to the agent's first frame, the median and the last tenth, ms. */
  p50Ms: number;
  p90Ms: number;
  /** LLM requests for each reply that was heard. */
  llmRequests: number;
}

export const CASES: readonly PreemptiveCase[] = [
  { title: "a fast STT", partialMs: 100, finalMs: 200, pauses: 0.3, corrections: 0.1 },
  { title: "a slow STT", partialMs: 250, finalMs: 700, pauses: 0.3, corrections: 0.1 },
  { title: "a fast STT, callers who hesitate", partialMs: 100, finalMs: 200, pauses: 1, corrections: 0.1 },
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
export const runPreemptiveBench = (options: PreemptiveBenchOptions): PreemptiveRow[] =>
  CASES.flatMap((one) => [false, true].map((preemptive) => rowOf(one, preemptive, options)));

function rowOf(
  one: PreemptiveCase,
  preemptive: boolean,
  { turns, llmMs, seed }: PreemptiveBenchOptions,
): PreemptiveRow {
  const random = seededRandom(seed);
  const tookMs: number[] = [];
  let questions = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    const call = callWithQuestion(one, preemptive, llmMs, random);
    const answer = call.turns.find(({ role }) => role === "agent");
    if (answer?.latency === undefined) throw new Error("a question was not answered");
    tookMs.push(answer.latency.firstFrameMs);
    questions += call.commands.filter(({ command }) => isLlmRequest(command.kind)).length;
    // An answer that was there is asked for once more by name, and costs nothing.
    questions -= usedReplies(call);
  }
  const sorted = [...tookMs].sort((a, b) => a - b);
  const p90Ms = sorted[Math.ceil(0.9 * sorted.length) - 1] ?? Number.NaN;
  return { title: one.title, preemptive, p50Ms: median(tookMs), p90Ms, llmRequests: questions / turns };
}

const isLlmRequest = (kind: string): boolean => kind === "generate-reply" || kind === "preemptive-start";

/** How many answers were there when they were asked for. */
function usedReplies(call: VirtualCall): number {
  let kept = 0;
  let isAhead = false;
  for (const { command } of call.commands) {
    if (command.kind === "preemptive-start") isAhead = true;
    else if (command.kind === "preemptive-cancel") isAhead = false;
    else if (command.kind === "generate-reply") {
      if (isAhead) kept += 1;
      isAhead = false;
    }
  }
  return kept;
}

/** One call of one question. */
function callWithQuestion(one: PreemptiveCase, preemptive: boolean, modelMs: number, random: Random): VirtualCall {
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
    call.at(atMs + one.partialMs, () => call.handle({ kind: "stt-interim", text: heard }));
    if (index === pauseBehind) atMs += pauseMs;
  }
  call.at(atMs + Math.max(one.partialMs, one.finalMs), () => call.handle({ kind: "stt-final", text: words.join(" ") }));
  call.run(atMs + 20_000);
  return call;
}

/** The rows as a table. */
export function preemptiveText(rows: readonly PreemptiveRow[]): string {
  const lines = rows.map(({ title, preemptive, p50Ms, p90Ms, llmRequests }) =>
    [
      title.padEnd(36),
      (preemptive ? "on" : "off").padEnd(10),
      `${Math.round(p50Ms)} ms`.padStart(8),
      `${Math.round(p90Ms)} ms`.padStart(8),
      llmRequests.toFixed(2).padStart(10),
    ].join("  "),
  );
  const head = ["".padEnd(36), "preemptive", "p50".padStart(8), "p90".padStart(8), "requests".padStart(10)].join("  ");
  return [head, ...lines].join("\n");
}
