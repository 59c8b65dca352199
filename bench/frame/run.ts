import { readFile } from "node:fs/promises";
import { type OpusCodecs, opusCodecs } from "../../src/media/opus/codecs.ts";
import { loadNativeOpus } from "../../src/media/opus/native.ts";
import { createWasmOpus, loadLibopusModule } from "../../src/media/opus/wasm.ts";
import { loadResampler } from "../../src/media/resampler.ts";
import { fvadDetection, loadFvad } from "../../src/media/voice-activity/fvad.ts";
import { loadSilero, SILERO_FILES } from "../../src/media/voice-activity/silero/silero.ts";
import { twoStageDetection } from "../../src/media/voice-activity/two-stage.ts";
import { runCommand } from "../harness/command.ts";
import { describeMachine } from "../harness/machine.ts";
import { renderSpeech } from "../rig/speech.ts";
import { measureCall } from "./call.ts";
import { carrierContests } from "./carriers.ts";
import { measureConnectionPath, measureInTurn } from "./connection-path.ts";
import { checksum, compare } from "./contest.ts";
import { measureEncryption } from "./encryption.ts";
import { framePage } from "./page.ts";
import { measureResampling } from "./resampling.ts";
import type { FrameResult, InTurnCost } from "./result.ts";
import { measureStages } from "./stages.ts";
import { frameText } from "./text.ts";
import { websocketContests } from "./websocket.ts";

const USAGE = `The cost of each step of a frame of 20 ms, without sockets.

  npm run bench:frame -- [--write] [--out DIR]

  --write  replaces the section bench:frame of bench/RESULTS.md
  --out    where frame.json and frame.html go; default bench/results

A missed goal is printed and fails nothing.
`;

/** Streams of the network: more than the stages open. */
const STREAMS = 10;

/** Calls that take turns. */
const IN_TURN = [1, 20, 100, 200, 500, 1_000];

async function run(_options: object, write: (line: string) => void): Promise<FrameResult> {
  write("rendering what the caller says");
  const { callerAudio } = await renderSpeech();
  const [openFvad, makeResampler] = await Promise.all([loadFvad(), loadResampler()]);
  const voiceActivity = fvadDetection(openFvad);
  const opus = [opusCodecs(createWasmOpus(await loadLibopusModule())), ...(await nativeCodecs())] as const;
  write("the whole way through a connection");
  const ways = await measureConnectionPath(callerAudio, voiceActivity, makeResampler);
  const inTurn: InTurnCost[] = [];
  for (const calls of IN_TURN) {
    write(`the same where ${calls} calls take turns`);
    inTurn.push(await measureInTurn(callerAudio, voiceActivity, makeResampler, calls));
  }
  write("decode and encode against the plain way: the carriers");
  const carriers = compare(carrierContests(callerAudio));
  write("decode and encode against the plain way: websocket");
  const websocket = compare(await websocketContests(callerAudio, makeResampler, opus));
  write("resampling");
  const resampling = await measureResampling();
  write("the stages, each by itself");
  const silero = await loadNetwork();
  const twoStage = twoStageDetection(openFvad, silero);
  const stages = measureStages(callerAudio, { fvad: voiceActivity, twoStage }, silero);
  write("encrypted media");
  const encryption = measureEncryption();
  write("a 30-minute call in virtual time");
  return {
    machine: describeMachine(),
    comparisons: [...carriers, ...websocket],
    resampling,
    stages,
    encryption,
    ways,
    inTurn,
    call: measureCall(),
    checksum: checksum(),
  };
}

const loadNetwork = async () =>
  await loadSilero(await readFile(SILERO_FILES.network), await readFile(SILERO_FILES.weights), STREAMS);

/** None where the optional package cannot be loaded. */
async function nativeCodecs(): Promise<OpusCodecs[]> {
  try {
    return [opusCodecs(await loadNativeOpus())];
  } catch {
    return [];
  }
}

await runCommand({
  name: "frame",
  usage: USAGE,
  defaults: {},
  read: (given) => given,
  run,
  text: frameText,
  page: framePage,
});
