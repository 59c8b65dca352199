import { mkdirSync, writeFileSync } from "node:fs";
import { loadOpus } from "../../src/media/opus.ts";
import { loadResampler } from "../../src/media/resampler.ts";
import { loadVad } from "../../src/media/vad.ts";
import { renderSpeech } from "../load/speech.ts";
import { describeMachine } from "../machine.ts";
import { inProject } from "../project.ts";
import { framePage } from "../report/frame-page.ts";
import { frameText } from "../report/frame-text.ts";
import { measureCall } from "./call.ts";
import { carrierContests } from "./carriers.ts";
import { checksum, compare } from "./contest.ts";
import type { FrameResult } from "./frame-result.ts";
import { websocketContests } from "./raw-websocket.ts";
import { measureResampling } from "./resampling.ts";
import { measureStages } from "./stages.ts";
import { measureWays } from "./whole-way.ts";

// What a frame costs, by itself: a table on the terminal, and the same as JSON and as a page under bench/results. A goal that is
// missed is named, and is no failure.

console.log("rendering what the caller says");
const { callerAudio } = await renderSpeech();
const [makeVad, makeResampler, opus] = await Promise.all([loadVad(), loadResampler(), loadOpus()]);
console.log("the whole way through a connection");
const ways = await measureWays(callerAudio, makeVad, makeResampler);
console.log("decode and encode against the plain way: the carriers");
const carriers = compare(carrierContests(callerAudio));
console.log(`decode and encode against the plain way: websocket${opus === undefined ? ", without Opus" : ""}`);
const websocket = compare(await websocketContests(callerAudio, makeResampler, opus));
console.log("resampling");
const resampling = await measureResampling();
console.log("the stages, each by itself");
const stages = measureStages(callerAudio, makeVad);
console.log("a 30-minute call in virtual time\n");
const result: FrameResult = {
  machine: describeMachine(),
  comparisons: [...carriers, ...websocket],
  resampling,
  stages,
  ways,
  call: measureCall(),
  checksum: checksum(),
};

const results = inProject("bench/results/");
mkdirSync(results, { recursive: true });
writeFileSync(new URL("frame.json", results), `${JSON.stringify(result, null, 2)}\n`);
writeFileSync(new URL("frame.html", results), framePage(result));
console.log(frameText(result));
console.log(`written: ${new URL("frame.json", results).pathname}, frame.html`);
