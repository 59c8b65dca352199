import { TrunklineClient } from "#client";
import { connectionOf, voiceOf } from "../../src/simulator/service/api-calls.ts";
import type { FleetReport, MediaTarget } from "../generator/protocol.ts";
import { describeMachine } from "../harness/machine.ts";
import { spreadOf } from "../harness/statistics.ts";
import { framesPerCall, gapsOf, offGridMs } from "../measurement/frame-analysis.ts";
import { framesWithin } from "../measurement/phase.ts";
import { generatorOf, lateGenerator } from "../measurement/phase-results.ts";
import { benchLine } from "../rig/lines.ts";
import { machineMonotonicMs } from "../rig/monotonic.ts";
import type { Rig } from "../rig/rig.ts";
import { AGENT_SENTENCES } from "../rig/speech.ts";
import type { RemoteOptions, RemoteResult, RemoteStep } from "./remote-result.ts";

const LANGUAGE = "en-US";
/** Requests at a time: the service creates the calls one after the other anyway. */
const CREATING_MAX = 8;
const CREATED_PER_S_MIN = 50;
/** No voice is faster: what the agent has to say outlasts the measurement. */
const CHARS_PER_S_MAX = 20;

/**
 * Loads a service that runs somewhere, ours or another's, with calls that its own API creates. What it costs there is not visible
 * from here: the figures are the callers' own. Rejects when a call cannot be created or is refused.
 */
export async function runRemoteBench(rig: Rig, options: RemoteOptions): Promise<RemoteResult> {
  const steps: RemoteStep[] = [];
  const problems: string[] = [];
  for (const calls of options.steps) {
    rig.progress.begin(`${calls} calls:`);
    const { step, losses } = await runStep(calls, options, rig);
    problems.push(...losses.map((loss) => `${calls} calls: a connection was lost: ${loss}`));
    problems.push(...lateGenerator(step.generator).map((problem) => `${calls} calls: ${problem}`));
    if (step.received.most === 0) problems.push(`${calls} calls: not a frame came back`);
    steps.push(step);
  }
  const { url, wire, seconds } = options;
  return { machine: describeMachine(), options: { url, wire, seconds, steps: options.steps }, problems, steps };
}

async function runStep(
  calls: number,
  { url, apiKey, wire, seconds, warmUpSeconds }: RemoteOptions,
  { generator, speech, progress }: Rig,
): Promise<{ step: RemoteStep; losses: FleetReport["losses"] }> {
  const api = new TrunklineClient({ baseUrl: httpUrl(url), apiKey });
  progress.print("creating them");
  const spokenS = seconds + warmUpSeconds + calls / CREATED_PER_S_MIN;
  const { urls, tookMs } = await createCalls(api, calls, wire, spokenS);
  const framesMax = framesWithin(spokenS);
  const { target, paths } = addressesOf(urls);
  await generator.ask("begin", {
    target,
    wire,
    paths,
    framesMax,
    baseMs: machineMonotonicMs(),
    audio: speech.callerAudio,
  });
  const sample = () => generator.ask("sample", undefined);
  await progress.during("warm-up", warmUpSeconds, sample);
  const before = await sample();
  await progress.during("measuring", seconds, sample);
  const after = await sample();
  const fleet = await generator.ask("finish", undefined);
  const window = { fromMs: before.atMs, toMs: after.atMs };
  const step: RemoteStep = {
    calls,
    createMs: spreadOf(tookMs),
    received: framesPerCall(fleet.received, window),
    offGridMs: spreadOf(offGridMs(fleet.received, window)),
    gaps: gapsOf(fleet.received, window),
    generator: generatorOf(fleet, window, before, after),
  };
  return { step, losses: fleet.losses };
}

/** Calls whose agents speak first, cannot be interrupted, and do not come to their end within `spokenS`. */
async function createCalls(
  api: TrunklineClient,
  calls: number,
  wire: RemoteOptions["wire"],
  spokenS: number,
): Promise<{ urls: URL[]; tookMs: Float32Array }> {
  const voices = await api.get("/voices", { query: { language: LANGUAGE } });
  const all = AGENT_SENTENCES.join(" ");
  const body = {
    ...connectionOf(benchLine(wire)),
    systemPrompt: "You answer the telephone of a bakery.",
    language: LANGUAGE,
    voice: voiceOf(voices.data, LANGUAGE),
    greeting: Array.from({ length: Math.ceil((spokenS * CHARS_PER_S_MAX) / all.length) }, () => all).join(" "),
    interruptible: false,
    recordingEnabled: false,
  };
  const urls: URL[] = [];
  const tookMs: number[] = [];
  let left = calls;
  const create = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const startMs = machineMonotonicMs();
      const { websocketUrl } = await api.post("/calls", { body });
      tookMs.push(machineMonotonicMs() - startMs);
      urls.push(new URL(websocketUrl));
    }
  };
  await Promise.all(Array.from({ length: CREATING_MAX }, create));
  return { urls, tookMs: Float32Array.from(tookMs) };
}

function addressesOf(urls: readonly URL[]): { target: MediaTarget; paths: string[] } {
  const [first] = urls as [URL];
  if (urls.some(({ host, protocol }) => host !== first.host || protocol !== first.protocol)) {
    throw new Error("the service gave its calls different hosts: run one bench for each");
  }
  const secure = first.protocol === "wss:";
  const target = { host: first.hostname, port: Number(first.port || (secure ? 443 : 80)), secure };
  return { target, paths: urls.map(({ pathname }) => pathname) };
}

/** The API's address, where that of the media streams was given. */
const httpUrl = (url: string): string => url.replace(/^ws/, "http").replace(/\/+$/, "");
