import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { FRAME_MS } from "../../src/core/limits.ts";
import { spreadOf } from "../statistics.ts";
import { framesPerCall, offGridMs } from "./analysis.ts";
import { Fleet } from "./fleet.ts";
import { monotonicMs } from "./monotonic.ts";
import { serve } from "./processes.ts";
import type { GeneratorQuestions } from "./questions.ts";
import { renderSpeech } from "./speech.ts";

const USAGE = `The load generator: many carrier_a streams on plain sockets, in both directions.

  npm run bench:generator -- --urls FILE [--seconds 30] [--audio FILE]

  --urls     a file of websocketUrls, one a line, as POST /calls gave them a moment ago: each is dialled once.
             Only ws:// is spoken, and all must have the same host
  --seconds  how long to stream, 1 to 1200; default 30
  --audio    what the callers say, over and over: raw mu-law, 8,000 Hz, mono; by default speech of the reference voice

Prints a line a second, and in the end how evenly the service's frames came: how far each was from its call's own grid of 20 ms,
which goes through the call's middle frame. That is only worth something while the agents speak without a pause.
`;

/** Longer runs are not the generator's limit, but their prepared audio takes memory by the second. */
const SECONDS_MAX = 1_200;
/** The calls have found their pace by then. */
const WARM_UP_S = 2;

/** Asked by the bench, which started it. */
function serveBench(): void {
  let fleet: Fleet | undefined;
  const running = (): Fleet => {
    if (fleet === undefined) throw new Error("no phase has begun");
    return fleet;
  };
  serve<GeneratorQuestions>({
    async begin(options) {
      fleet = new Fleet(options);
      await fleet.connect();
      return undefined;
    },
    sample: () => running().sample(),
    finish: () => running().finish(),
  });
}

interface Target {
  host: string;
  port: number;
  paths: string[];
}

/** Where the calls are: one host for all of them. Throws what is wrong with the list, without the tokens that are in it. */
function readTarget(file: string): Target {
  const urls = readFileSync(file, "utf8").split(/\s+/).filter(Boolean);
  const [first] = urls;
  if (first === undefined || !urls.every((url) => URL.canParse(url)))
    throw new Error(`${file} must hold URLs, one a line`);
  const { protocol, host, hostname, port } = new URL(first);
  if (protocol !== "ws:") throw new Error("only ws:// is spoken here");
  if (urls.some((url) => new URL(url).host !== host)) throw new Error("all URLs must have the same host");
  return { host: hostname, port: Number(port || 80), paths: urls.map((url) => new URL(url).pathname) };
}

async function runAlone({ urls, seconds, audio }: { urls: string; seconds: number; audio: string | undefined }) {
  const target = readTarget(urls);
  const speech = audio === undefined ? (await renderSpeech()).callerAudio : readFileSync(audio);
  const framesMax = ((seconds + WARM_UP_S + 10) * 1_000) / FRAME_MS;
  const fleet = new Fleet({ ...target, framesMax, baseMs: monotonicMs(), audio: speech });
  await fleet.connect();
  console.log(`${target.paths.length} calls connected`);
  await delay(WARM_UP_S * 1_000);
  const fromMs = monotonicMs();
  for (let second = 1; second <= seconds; second += 1) {
    await delay(1_000);
    const { sentFrames, receivedFrames, lostCalls } = fleet.sample();
    console.log(`${second} s: ${sentFrames} frames sent, ${receivedFrames} received, ${lostCalls} calls lost`);
  }
  const window = { fromMs, toMs: monotonicMs() };
  const { received, losses } = await fleet.finish();
  const { fewest, most } = framesPerCall(received, window);
  const { p50, p99, p999, max } = spreadOf(offGridMs(received, window));
  console.log(`frames received per call: ${fewest} to ${most}`);
  console.log(
    `off the grid, ms: p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}, p99.9 ${p999.toFixed(2)}, max ${max.toFixed(2)}`,
  );
  for (const loss of losses) console.error(`lost: ${loss}`);
  process.exitCode = losses.length === 0 ? 0 : 1;
}

/** Undefined when the command line makes no sense. */
function readArguments(): { urls: string; seconds: number; audio: string | undefined } | undefined {
  try {
    const { values } = parseArgs({
      options: { urls: { type: "string" }, seconds: { type: "string", default: "30" }, audio: { type: "string" } },
    });
    const { urls, audio } = values;
    const seconds = Number(values.seconds);
    const sensible = Number.isInteger(seconds) && seconds >= 1 && seconds <= SECONDS_MAX;
    return urls === undefined || !sensible ? undefined : { urls, seconds, audio };
  } catch {
    // An option that there is not.
    return undefined;
  }
}

async function main(): Promise<void> {
  const given = readArguments();
  if (given === undefined) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
    return;
  }
  try {
    await runAlone(given);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

if (process.send === undefined) await main();
else serveBench();
