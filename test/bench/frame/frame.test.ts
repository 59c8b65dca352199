import { expect, test } from "vitest";
import { carrierContests } from "../../../bench/frame/carriers.ts";
import { measureInTurn } from "../../../bench/frame/connection-path.ts";
import { type Contest, compare } from "../../../bench/frame/contest.ts";
import { websocketContests } from "../../../bench/frame/websocket.ts";
import { A_LAW_CARRIERS, CARRIER_NAMES } from "../../../src/carriers/list.ts";
import { opusCodecs } from "../../../src/media/opus/codecs.ts";
import { createWasmOpus, loadLibopusModule } from "../../../src/media/opus/wasm.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { loadFvadDetection } from "../../../src/media/voice-activity/fvad.ts";

const AUDIO = Uint8Array.from({ length: 8_000 }, (_, at) => (at * 31) & 255);
/** Far too short for figures. */
const TURN_MS = 0.01;
/** Far more than it takes on a machine that has other things to do. */
const TEST_MS_MAX = 90_000;

const namesOf = (contests: readonly Contest[]): string[] => contests.map(({ wire, name }) => `${wire}: ${name}`);

test("every carrier is compared with the plain implementation, and its fast paths allocate nothing", {
  timeout: TEST_MS_MAX,
}, () => {
  const contests = carrierContests(AUDIO);
  const wires = CARRIER_NAMES.flatMap((name) =>
    A_LAW_CARRIERS.includes(name) ? [`${name}, mu-law`, `${name}, A-law`] : [name],
  );
  expect(namesOf(contests)).toEqual(wires.flatMap((wire) => [`${wire}: decode`, `${wire}: encode`]));
  // One each way is enough to see that they run: what the wires allocate their own tests tell.
  const some = contests.filter(({ wire, name }) => wire === (name === "decode" ? "carrier_a" : "carrier_c"));
  for (const { ratio, ofCopy, oursHeapBytes, plainHeapBytes } of compare(some, TURN_MS)) {
    expect(ratio).toBeGreaterThan(0);
    expect(ofCopy).toBeGreaterThan(0);
    expect(oursHeapBytes).toBeLessThan(1);
    expect(plainHeapBytes).toBeGreaterThan(200);
  }
});

test("every codec of a raw socket is compared at every rate, and all but Opus allocate nothing", {
  timeout: TEST_MS_MAX,
}, async () => {
  const [makeResampler, module] = await Promise.all([loadResampler(), loadLibopusModule()]);
  const contests = await websocketContests(AUDIO, makeResampler, [opusCodecs(createWasmOpus(module))]);
  const wires = ["pcm_s16le, 8", "pcm_s16le, 16", "pcm_s16le, 24", "pcm_s16le, 48", "mulaw, 8", "alaw, 8"];
  const opus = [8, 16, 24, 48].map((rateKhz) => `opus (wasm), ${rateKhz}`);
  expect(namesOf(contests)).toEqual(
    [...wires, ...opus].flatMap((wire) => [`websocket, ${wire} kHz: decode`, `websocket, ${wire} kHz: encode`]),
  );
  // One of each codec, and each way, is enough to see that they run.
  const some = contests.filter(({ wire, name }) =>
    (name === "decode" ? /mulaw/ : /pcm_s16le, 48|opus \(wasm\), 8/).test(wire),
  );
  for (const { native, ratio, oursHeapBytes } of compare(some, TURN_MS)) {
    expect(ratio).toBeGreaterThan(0);
    if (!native) expect(oursHeapBytes).toBeLessThan(1);
  }
});

test("calls that take turns receive and send frames", { timeout: TEST_MS_MAX }, async () => {
  const { calls, inNs, outNs } = await measureInTurn(AUDIO, await loadFvadDetection(), await loadResampler(), 2);
  expect(calls).toBe(2);
  expect(Math.min(inNs, outNs)).toBeGreaterThan(0);
});
