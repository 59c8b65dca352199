import { fileURLToPath } from "node:url";
import { readArguments, runCommand, wholeNumber } from "../../src/cli/command.ts";
import { loadFvad } from "../../src/media/voice-activity/fvad.ts";
import { loadVoiceActivity } from "../../src/process/worker/voice-activity.ts";
import { writeTable } from "../harness/command.ts";
import { inProject } from "../harness/project.ts";
import { fetchPackages, requirePackages } from "../hearing/packages.ts";
import { type EchoRow, runCondition } from "./bench.ts";
import { DOUBLE_TALK_CONDITIONS, ECHO_CONDITIONS } from "./conditions.ts";
import { readPrompts } from "./speech.ts";

const USAGE = `Whether the agent's own echo pauses it, and whether somebody who speaks over it is noticed, on human speech.

  npm run bench:echo -- --fetch
  npm run bench:echo -- [--agent it] [--caller ru] [--calls 10] [--seed 1] [--cache DIR] [--write]

  --fetch   downloads what is missing of the speech, as npm run bench:hearing -- --fetch does
  --cache   the folder of the speech; default bench/cache, which git ignores
  --agent   the language of the agent's prompts: it, ru; held out: en, es, fr
  --caller  that of the caller's
  --calls   of a minute, for each row, 1 to 1000
  --seed    the seed of everything random; the same seed gives the same figures, except for times of the processor
  --write   replaces the section bench:echo of bench/RESULTS.md

Exits with 1 when an echo of -20 dB pauses the agent, or when less than 95 % of the utterances are noticed.
`;

const EXPLANATION =
  "Pauses: how often speech begins in a reply without an interruption, by the WebRTC VAD alone and with the echo check. Noticed: utterances over a reply with which speech begins, and how long after their first clear frame. The processor's time is that of the echo check, of all frames of a call.";

const OPTIONS = {
  fetch: { type: "boolean", default: false },
  cache: { type: "string", default: fileURLToPath(inProject("bench/cache/")) },
  agent: { type: "string", default: "it" },
  caller: { type: "string", default: "ru" },
  calls: { type: "string", default: "10" },
  seed: { type: "string", default: "1" },
  write: { type: "boolean", default: false },
} as const;

const percentile = (sorted: readonly number[], share: number): string =>
  sorted.length === 0 ? "-" : (sorted[Math.floor((sorted.length - 1) * share)] as number).toFixed(0);

const echoLine = (row: EchoRow): string =>
  `${row.name.padEnd(34)}${String(row.replies).padStart(8)}${String(row.pausesWithout).padStart(10)}${String(row.pauses).padStart(8)}${`${row.speechPercent.toFixed(2)} %`.padStart(12)}${row.frameUs.toFixed(1).padStart(8)}`;

const talkLine = (row: EchoRow): string =>
  `${row.name.padEnd(34)}${String(row.utterances).padStart(11)}${`${((100 * row.noticed) / row.utterances).toFixed(1)} %`.padStart(10)}${percentile(row.onsetsMs, 0.5).padStart(7)}${percentile(row.onsetsMs, 0.9).padStart(7)}${row.frameUs.toFixed(1).padStart(8)}`;

async function run(args: readonly string[]): Promise<number> {
  const { cache, fetch, agent, caller, calls, seed, write } = readArguments(args, OPTIONS).values;
  if (fetch) fetchPackages(cache, console.log);
  requirePackages(cache, "echo");
  const speakers = { agent: readPrompts(cache, agent), caller: readPrompts(cache, caller) };
  const voiceActivity = await loadVoiceActivity(await loadFvad(), "silero", 1);
  const amount = { calls: wholeNumber("calls", calls, 1, 1_000), seed: wholeNumber("seed", seed, 0, 2 ** 31) };
  const lines: string[] = [];
  const print = (line: string): void => {
    lines.push(line);
    console.log(line);
  };
  let isMissed = false;
  print(`${"echo of a reply".padEnd(34)} replies   without  pauses   as speech      µs`);
  for (const condition of ECHO_CONDITIONS) {
    const row = runCondition(condition, speakers, voiceActivity, amount);
    if (row.pauses > 0 && condition.gainDb === -20) isMissed = true;
    print(echoLine(row));
  }
  print(`\n${"somebody over a reply, echo".padEnd(34)} utterances   noticed p50 ms p90 ms      µs`);
  for (const condition of DOUBLE_TALK_CONDITIONS) {
    const row = runCondition(condition, speakers, voiceActivity, amount);
    if (row.noticed < 0.95 * row.utterances) isMissed = true;
    print(talkLine(row));
  }
  if (write)
    writeTable(
      { name: "echo", explanation: EXPLANATION },
      args.filter((_, i) => !isCache(args, i)),
      lines.join("\n"),
    );
  return isMissed ? 1 : 0;
}

/** The folder is no part of what was measured. */
const isCache = (args: readonly string[], i: number): boolean => args[i] === "--cache" || args[i - 1] === "--cache";

await runCommand({ help: USAGE, example: "npm run bench:echo -- --calls 10", run });
