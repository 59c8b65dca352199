import { expect, test } from "vitest";
import { goalsOf, grossExcess } from "../../../bench/webrtc/goals.ts";
import { PacketTimes } from "../../../bench/webrtc/peers/observed-port.ts";
import { PARTS, type ToneRow } from "../../../bench/webrtc/result.ts";
import type { WebrtcPort } from "../../../src/gateway/webrtc/peer.ts";
import { writeRtp } from "../../../src/media/rtp/packet.ts";

const options = { parts: PARTS, seconds: 10, toneSeconds: 60, runs: 20, seed: 1, reduced: false };
const NOTHING = {
  options,
  delay: undefined,
  network: [],
  tones: [],
  start: undefined,
  bargeIn: undefined,
  peers: [],
  capacity: [],
  calls: undefined,
};
const tone = (row: Partial<ToneRow>): ToneRow => ({
  direction: "up",
  lossShare: 0.01,
  jitterMs: 10,
  fec: true,
  seconds: 60,
  windows: 300,
  medianDb: 36,
  p10Db: 30,
  bad: 0,
  concealedShare: undefined,
  acceleratedSamples: undefined,
  deceleratedSamples: undefined,
  missing: 0,
  ...row,
});
const verdicts = (measured: Partial<typeof NOTHING>) =>
  goalsOf({ ...NOTHING, ...measured } as never).map(({ verdict }) => verdict);

test("a part that was not measured has no goal", () => {
  expect(goalsOf(NOTHING)).toEqual([]);
  expect(grossExcess(NOTHING)).toEqual([]);
});

test("a tone is judged by its direction, and by every window", () => {
  expect(verdicts({ tones: [tone({ medianDb: 33 })] as never })).toEqual(["holds"]);
  expect(verdicts({ tones: [tone({ bad: 1 })] as never })).toEqual(["missed"]);
  expect(verdicts({ tones: [tone({ direction: "down", medianDb: 44.9 })] as never })).toEqual(["missed"]);
});

test("FEC is judged by the share of bad windows, beside a call without it", () => {
  const pair = (bad: number) => [
    tone({ lossShare: 0.05, bad }),
    tone({ lossShare: 0.05, fec: false, bad: 60 }),
    tone({ lossShare: 0.05, direction: "down", bad: 90 }),
  ];
  expect(goalsOf({ ...NOTHING, tones: pair(6) })).toMatchObject([
    { measured: "2.0 %, without FEC 20.0 %", verdict: "holds" },
  ]);
  expect(verdicts({ tones: pair(7) as never })).toEqual(["missed"]);
});

test("FEC of speech is judged on the network with 5 % loss and little jitter", () => {
  const speech = (fec: boolean, badShare: number, jitterMs = 10) => ({
    ...{ sound: "speech", lossShare: 0.05, jitterMs, duplicateShare: 0, fec, badShare },
    ...{ missing: 0, reordered: 0, gapsMs: 0, medianDb: 50, p10Db: 20 },
  });
  const network = [speech(true, 0.5, 50), speech(true, 0.02), speech(false, 0.17)];
  expect(goalsOf({ ...NOTHING, network } as never)).toMatchObject([
    { measured: "2.0 %, without FEC 17.0 %", verdict: "holds" },
  ]);
});

test("calls that leave a descriptor, or memory, miss their goal; only descriptors are gross", () => {
  const sample = (rssBytes: number, descriptors: number) => ({ calls: 0, rssBytes, heapBytes: 0, descriptors });
  const calls = {
    calls: 600,
    before: sample(90e6, 30),
    early: sample(100e6, 30),
    after: sample(106e6, 31),
  };
  expect(verdicts({ calls: calls as never })).toEqual(["missed", "missed"]);
  expect(grossExcess({ ...NOTHING, calls })).toEqual(["calls leave descriptors"]);
  expect(verdicts({ calls: { ...calls, after: sample(104e6, 30) } as never })).toEqual(["holds", "holds"]);
});

test("a packet is late by more time than its timestamp says; those that speech begins with are sent ahead and do not count", () => {
  const times = new PacketTimes();
  const port = times.observe({
    accept: () => ({ answer: "", oversized: 0, send: () => true, close: () => {} }),
  } as never as WebrtcPort);
  const peer = port.accept(undefined as never, undefined as never);
  const bytes = new Uint8Array(100);
  const send = (n: number, timestamp: number): void => {
    const header = { payloadType: 111, marker: n === 0, sequence: n, timestamp, ssrc: 1 };
    peer.send(bytes.subarray(0, writeRtp(header, Uint8Array.of(1, 2, 3), bytes)));
  };
  times.begin();
  for (let n = 0; n < 4; n += 1) send(n, 960 * n);
  // Both at once, though their timestamps are 20 ms apart, over the end of their 32 bits.
  for (const [n, timestamp] of [0xffff_ffff - 100, 859].entries()) send(4 + n, timestamp);
  const late = [...times.finish()];
  expect(late).toHaveLength(2);
  expect(Math.max(...late) - Math.min(...late)).toBeGreaterThan(19);
  expect(Math.min(...late)).toBe(0);
});
