import type { HttpTool } from "../../../src/core/calls/spec.ts";
import { askingFor, type Scene } from "../../../test/support/golden/scene.ts";

// What is said in a long call: a caller who asks, listens, interrupts, agrees and waits for a tool, again and again.

const ROUND_MS = 15_000;
const MINUTE_MS = 60_000;
const FIRST_MS = 4_000;
/** What happens in one round of so many. */
const INTERRUPTED = 8;
const AGREED = 5;
const WITH_TOOL = 11;
const WITH_GAP = 13;
const GAP_MS = 2_500;
const TOOL_MS = 1_200;

const QUESTIONS: readonly string[] = [
  "what do you sell on a Friday",
  "do you have rye bread left today",
  "how much is a plum cake for ten people",
  "may I order it for Saturday morning then",
  "is there sugar in the white bread",
  "until when are you open in the winter",
];
const ANSWERS: readonly string[] = [
  "We have rye bread, white bread and rolls. On Fridays there is a plum cake that people come for from far away.",
  "There are four loaves of rye bread. I can keep one for you until six.",
  "A plum cake for ten costs thirty two pounds. It must be ordered two days ahead.",
  "You can. It is ready at eight. Shall I write it down under your name?",
  "There is no sugar in it, only flour, water, salt and yeast.",
  "From October to March we close at five, and on Saturdays at one.",
];
const ORDER_TOOL: HttpTool = {
  kind: "http",
  name: "find_order",
  description: "Finds an order.",
  parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  fixedArguments: {},
  timeoutMs: 4_000,
  method: "GET",
  url: "https://orders.example/{order}",
  headers: {},
};

/** The script of a call of so many minutes; the same every time. */
export function longCall(scene: Scene, minutes: number): void {
  const endMs = minutes * MINUTE_MS;
  scene.untilMs = endMs + MINUTE_MS;
  scene.with({ tools: [ORDER_TOOL], interruptible: true, maxDurationMs: 2 * endMs + MINUTE_MS });
  scene.tools.set(ORDER_TOOL.name, { afterMs: TOOL_MS, text: '{"leaves":"tomorrow"}', status: 200 });
  for (let round = 0; FIRST_MS + (round + 1) * ROUND_MS < endMs; round += 1) addRound(scene, round);
  scene.hangsUp(endMs);
}

function addRound(scene: Scene, round: number): void {
  const atMs = FIRST_MS + round * ROUND_MS;
  const answer = ANSWERS[round % ANSWERS.length] as string;
  scene.says(atMs, `${QUESTIONS[round % QUESTIONS.length]}`);
  if (round % WITH_TOOL === 0) scene.replies(askingFor([[ORDER_TOOL.name, `{"order":"A-${round}"}`]], "Let me look."));
  scene.replies(answer);
  if (round % INTERRUPTED === 0) scene.says(atMs + 5_500, "wait I meant today").replies(answer);
  else if (round % AGREED === 0) scene.says(atMs + 5_500, "mm-hm");
  if (round % WITH_GAP === 0) scene.muted.push({ fromMs: atMs + 11_000, untilMs: atMs + 11_000 + GAP_MS });
}
