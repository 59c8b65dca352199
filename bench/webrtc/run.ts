import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { runWebrtcBench } from "./bench.ts";
import { grossExcess } from "./goals.ts";
import { WEBRTC_EXPLANATION, webrtcPage, webrtcText } from "./report.ts";
import { PARTS, type Part, type WebrtcOptions } from "./result.ts";

const USAGE = `WebRTC calls: how soon Chromium is connected, hears the greeting and stops the agent; how well both ends hear over a network that
loses and delays packets, with forward error correction (FEC) and without; what a peer costs, how many a core carries, and what calls
do not release.

  npm run bench:webrtc -- [--only PARTS] [--seconds 10] [--tone-seconds 60] [--runs 20] [--seed 1] [--reduced] [--write] [--out DIR]

  --only          parts, comma-separated: ${PARTS.join(", ")}
  --seconds       of each call over a bad network, and of each measurement of CPU time, 2 to 600
  --tone-seconds  of each tone of Chromium, 5 to 600
  --runs          calls that Chromium begins, and that it interrupts, 2 to 200
  --seed          which datagrams are lost, and when agents are interrupted
  --reduced       two minutes: less of everything; fails only where a goal is missed grossly; not with --write
  --write         replaces the section bench:webrtc of bench/RESULTS.md; with --only, the section of these parts
  --out           where webrtc.json and webrtc.html go; default bench/results

Needs node-datachannel, and Chromium for tones, start and barge-in. A goal that is missed is printed and fails nothing. Exits with 1
when the run proves nothing. About ten minutes, on a machine that is otherwise idle.
`;

function read(given: Given): WebrtcOptions | undefined {
  const reduced = given.reduced !== undefined;
  if (given.write !== undefined && reduced) return undefined;
  const parts = given.only === "" ? PARTS : partsIn(given.only ?? "");
  if (parts === undefined) return undefined;
  return sensible({
    parts,
    seconds: reduced ? 3 : integer(given.seconds, 2, 600),
    toneSeconds: reduced ? 5 : integer(given["tone-seconds"], 5, 600),
    runs: reduced ? 3 : integer(given.runs, 2, 200),
    seed: integer(given.seed, 0, 2 ** 32 - 1),
    reduced,
  });
}

/** Undefined where one of the names is unknown. */
function partsIn(text: string): readonly Part[] | undefined {
  const names = text.split(",");
  return names.every((name) => (PARTS as readonly string[]).includes(name)) ? (names as Part[]) : undefined;
}

await runCommand({
  name: "webrtc",
  section: ({ parts }) => (parts.length === PARTS.length ? "bench:webrtc" : `bench:webrtc --only ${parts.join(",")}`),
  usage: USAGE,
  defaults: { only: "", seconds: "10", "tone-seconds": "60", runs: "20", seed: "1" },
  flags: ["reduced"],
  read,
  run: runWebrtcBench,
  text: webrtcText,
  explanation: WEBRTC_EXPLANATION,
  page: webrtcPage,
  problems: ({ problems }) => problems,
  failed: (result) => result.options.reduced && grossExcess(result).length > 0,
});
