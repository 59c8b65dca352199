import { describe, expect, test } from "vitest";
import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import { EchoDetector } from "../../../src/media/echo/echo-detector.ts";
import { MU_LAW } from "../../../src/media/g711.ts";
import { type EchoCall, type JudgedFrame, judgeCall } from "../../support/audio/echo-call.ts";
import { addEcho, addNoise, type EchoLine, throughMulaw } from "../../support/audio/echo-line.ts";
import { speechLike } from "../../support/audio/speech-like.ts";
import { heapBytesPerRun } from "../../support/heap.ts";
import { Random } from "../../support/random.ts";

const RATE_HZ = 8_000;
const SEEDS = [1, 2, 3];
/** The greeting begins with the call, as any reply may, with nothing known of the line. */
const REPLY_S = 8;

interface Scene extends EchoLine {
  seed: number;
  noiseDb?: number;
  /** What somebody says, and when, s. */
  caller?: { speech: Int16Array; atS: number };
  seconds?: number;
}

/** What the agent of each seed says: made once, and never changed. */
const agents = new Map<number, Int16Array>();
function agentOf(seed: number): Int16Array {
  const agent = agents.get(seed) ?? speechLike(new Random(seed), REPLY_S);
  agents.set(seed, agent);
  return agent;
}

function signalsOf(scene: Scene): Pick<EchoCall, "agent" | "caller"> {
  const random = new Random(scene.seed + 100);
  const agent = agentOf(scene.seed);
  const line = new Float64Array((scene.seconds ?? REPLY_S + 1) * RATE_HZ);
  addEcho(random, line, agent, scene);
  if (scene.noiseDb !== undefined) addNoise(random, line, scene.noiseDb);
  scene.caller?.speech.forEach((sample, i) => {
    const at = Math.round((scene.caller?.atS ?? 0) * RATE_HZ) + i;
    line[at] = (line[at] as number) + sample;
  });
  return { agent, caller: throughMulaw(line) };
}

/** The voiced frames that count as somebody's speech. */
const spoken = (judged: readonly JudgedFrame[]): number[] =>
  judged.filter(({ voiced, verdict }) => voiced && verdict === "other").map(({ frame }) => frame);
const voiced = (judged: readonly JudgedFrame[]): number => judged.filter((frame) => frame.voiced).length;

/** The frame with which two of three are speech: the onset of the detector in two stages, which is the readier one. */
function onsetOf(judged: readonly JudgedFrame[], fromFrame: number): number {
  const frames = spoken(judged).filter((frame) => frame >= fromFrame);
  return frames.find((frame, i) => i >= 1 && frame - (frames[i - 1] as number) < 3) ?? Number.POSITIVE_INFINITY;
}

/** A detector that noise of -46 dB below full scale does not mislead. */
const isAboveNoise = (samples: Int16Array): boolean =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length) > 230;

describe("the agent's echo", () => {
  const lines: readonly [string, Omit<EchoLine, "delayMs"> & { noiseDb?: number }][] = [
    ["at -20 dB", { gainDb: -20 }],
    ["at -10 dB in a small room", { gainDb: -10, responseMs: 10 }],
    ["at -15 dB in a room", { gainDb: -15, responseMs: 30 }],
    ["at -20 dB in a large room", { gainDb: -20, responseMs: 60 }],
    ["at -30 dB", { gainDb: -30, responseMs: 10 }],
    ["at -20 dB, with noise as loud as itself", { gainDb: -20, noiseDb: -46 }],
    ["at -20 dB, with a clock that drifts", { gainDb: -20, driftPpm: 100 }],
  ];
  for (const [name, line] of lines) {
    test.each([
      40, 180, 300,
    ])(`${name} is no speech from the first frame of the first reply on, %i ms late`, (delayMs) => {
      for (const seed of SEEDS) {
        const isVoiced = line.noiseDb === undefined ? undefined : isAboveNoise;
        const judged = judgeCall({ ...signalsOf({ ...line, seed, delayMs }), ...(isVoiced && { isVoiced }) });
        expect(voiced(judged), `seed ${seed}`).toBeGreaterThan(40);
        expect(onsetOf(judged, 0), `seed ${seed}`).toBe(Number.POSITIVE_INFINITY);
        expect(spoken(judged).length, `seed ${seed}`).toBeLessThan(0.02 * voiced(judged));
      }
    });
  }

  test("is silence for the STT once its delay is known", () => {
    for (const seed of SEEDS) {
      const judged = judgeCall(signalsOf({ gainDb: -20, delayMs: 180, seed }));
      const later = judged.filter((frame) => frame.voiced && frame.frame > 50);
      const echoes = later.filter(({ verdict }) => verdict === "echo");
      expect(echoes.length, `seed ${seed}`).toBeGreaterThan(0.9 * later.length);
    }
  });

  test("is found with its delay and its gain", () => {
    const detector = new EchoDetector({ codec: "mulaw", outboundRateHz: RATE_HZ });
    judgeCall({ ...signalsOf({ gainDb: -20, delayMs: 180, seed: 1 }), detector });
    expect(detector.delayMs).toBeGreaterThan(178);
    expect(detector.delayMs).toBeLessThan(182);
    expect(detector.gainDb).toBeGreaterThan(-24);
    expect(detector.gainDb).toBeLessThan(-14);
  });

  test("may have another delay in the next reply", () => {
    for (const seed of SEEDS) {
      const random = new Random(seed);
      const agent = new Int16Array(16 * RATE_HZ);
      agent.set(speechLike(random, 6), RATE_HZ);
      agent.set(speechLike(random, 6), 9 * RATE_HZ);
      const line = new Float64Array(agent.length);
      addEcho(random, line, agent, { gainDb: -20, delayMs: 250 }, { to: 8 * RATE_HZ });
      addEcho(random, line, agent, { gainDb: -20, delayMs: 60 }, { from: 8 * RATE_HZ });
      expect(onsetOf(judgeCall({ agent, caller: throughMulaw(line) }), 0), `seed ${seed}`).toBe(
        Number.POSITIVE_INFINITY,
      );
    }
  });

  test("is known where frames of the caller arrive unevenly, or are lost", () => {
    for (const seed of SEEDS) {
      const random = new Random(seed);
      const signals = signalsOf({ gainDb: -20, delayMs: 90, seed });
      const isLost = (frame: number): boolean => frame % 37 === 0 || (frame > 100 && frame < 115);
      const judged = judgeCall({ ...signals, lateMs: () => random.between(0, 60), isLost });
      expect(onsetOf(judged, 0), `seed ${seed}`).toBe(Number.POSITIVE_INFINITY);
    }
  });

  test.each([60, 200, 480])("is known after a client without timestamps sent nothing for %i ms", (stoppedMs) => {
    for (const seed of SEEDS) {
      const signals = signalsOf({ gainDb: -20, delayMs: 150, seed });
      const isStopped = (frame: number): boolean => frame >= 150 && frame < 150 + stoppedMs / 20;
      const judged = judgeCall({ ...signals, isStopped });
      expect(onsetOf(judged, 0), `seed ${seed}`).toBe(Number.POSITIVE_INFINITY);
      expect(spoken(judged).length, `seed ${seed}`).toBeLessThan(0.02 * voiced(judged));
    }
  });

  test.each([60, 250])("is known while the network delays the caller by %i ms more, and afterwards", (laterMs) => {
    for (const seed of SEEDS) {
      const signals = signalsOf({ gainDb: -20, delayMs: 100, seed });
      const judged = judgeCall({ ...signals, lateMs: (frame) => (frame >= 120 && frame < 280 ? laterMs : 0) });
      expect(onsetOf(judged, 0), `seed ${seed}`).toBe(Number.POSITIVE_INFINITY);
      expect(spoken(judged).length, `seed ${seed}`).toBeLessThan(0.02 * voiced(judged));
    }
  });

  test("is known after the agent was paused and resumed", () => {
    for (const seed of SEEDS) {
      const agent = agentOf(seed).slice();
      agent.fill(0, 3 * RATE_HZ, 3.8 * RATE_HZ);
      const line = new Float64Array(agent.length);
      addEcho(new Random(seed), line, agent, { gainDb: -20, delayMs: 90 });
      const isSilent = (frame: number): boolean => frame >= 150 && frame < 190;
      expect(onsetOf(judgeCall({ agent, caller: throughMulaw(line), isSilent }), 0), `seed ${seed}`).toBe(
        Number.POSITIVE_INFINITY,
      );
    }
  });

  test("is known on a wideband leg: PCM at 24 kHz there, 16 kHz back", () => {
    for (const seed of SEEDS) {
      const narrow = agentOf(seed);
      const at = (rateHz: number): Int16Array =>
        Int16Array.from({ length: REPLY_S * rateHz }, (_, i) => narrow[Math.floor((i * RATE_HZ) / rateHz)] as number);
      const line = new Float64Array(REPLY_S * 16_000);
      addEcho(new Random(seed), line, at(16_000), { gainDb: -20, delayMs: 150 }, { rateHz: 16_000 });
      const caller = Int16Array.from(line, Math.round);
      const judged = judgeCall({
        agent: at(24_000),
        agentRateHz: 24_000,
        codec: "pcm_s16le",
        caller,
        callerRateHz: 16_000,
      });
      expect(voiced(judged), `seed ${seed}`).toBeGreaterThan(100);
      expect(onsetOf(judged, 0), `seed ${seed}`).toBe(Number.POSITIVE_INFINITY);
    }
  });

  test("is known after the agent's audio was dropped and another reply began", () => {
    const detector = new EchoDetector({ codec: "mulaw", outboundRateHz: RATE_HZ });
    judgeCall({ ...signalsOf({ gainDb: -20, delayMs: 90, seed: 1 }), detector });
    const before = detector.delayMs;
    // Dropped: what is sent now is played from an earlier time on than what was sent before would have been.
    detector.sent(new Uint8Array(160).fill(MU_LAW.silenceByte), callMs(8_100));
    detector.sent(new Uint8Array(160).fill(MU_LAW.silenceByte), callMs(8_050));
    expect(detector.delayMs).toBe(before);
  });
});

describe("somebody who speaks over the agent", () => {
  const scenes: readonly [string, EchoLine, number][] = [
    ["on a line without echo", { gainDb: Number.NEGATIVE_INFINITY, delayMs: 0 }, 6],
    ["with the echo at -30 dB", { gainDb: -30, delayMs: 150 }, 6],
    ["with the echo at -20 dB", { gainDb: -20, delayMs: 150, responseMs: 20 }, 8],
    ["with the echo at -10 dB, if later", { gainDb: -10, delayMs: 150 }, 40],
  ];
  test.each(scenes)("is noticed %s", (_, line, framesMax) => {
    const delays = Array.from({ length: 20 }, (_, seed) => {
      const caller = { speech: speechLike(new Random(1_000 + seed), 2), atS: 2 + (seed % 5) };
      const judged = judgeCall(signalsOf({ ...line, seed, caller }));
      return onsetOf(judged, caller.atS * 50) - caller.atS * 50;
    });
    const noticed = delays.filter((frames) => frames <= framesMax);
    expect(noticed.length, `frames until noticed, by seed from 0: ${delays.join(" ")}`).toBeGreaterThanOrEqual(19);
  });

  test("is not judged where the agent does not speak", () => {
    const caller = speechLike(new Random(7), 5);
    expect(judgeCall({ agent: new Int16Array(0), caller }).every(({ verdict }) => verdict === "other")).toBe(true);
  });

  test("is not judged half a second after the agent was played", () => {
    const scene = { gainDb: -20, delayMs: 90, seed: 3, seconds: 12 };
    const judged = judgeCall(signalsOf({ ...scene, caller: { speech: speechLike(new Random(9), 3), atS: 8.6 } }));
    expect(judged.filter(({ frame }) => frame > 8.55 * 50).every(({ verdict }) => verdict === "other")).toBe(true);
  });
});

describe("bad input", () => {
  const sounds: readonly [string, (i: number) => number][] = [
    ["silence", () => 0],
    ["a constant", () => 32_767],
    ["the lowest constant", () => -32_768],
    ["a full-scale square wave", (i) => (i % 40 < 20 ? 32_767 : -32_768)],
    ["clicks", (i) => (i % 997 === 0 ? 32_767 : 0)],
  ];
  for (const [agentName, agentSound] of sounds)
    test.each(
      sounds,
    )(`M10: ${agentName} from the agent and %s from the caller leave a detector that finds an echo`, (_, sound) => {
      const detector = new EchoDetector({ codec: "mulaw", outboundRateHz: RATE_HZ });
      const length = 2 * RATE_HZ;
      judgeCall({
        agent: Int16Array.from({ length }, (_, i) => agentSound(i)),
        caller: Int16Array.from({ length }, (_, i) => sound(i)),
        detector,
      });
      expect(Number.isNaN(detector.delayMs) || Math.abs(detector.delayMs) < 500).toBe(true);
      expect(Number.isFinite(detector.gainDb)).toBe(true);
      // No multiple of the clicks' distance: their delay would be so near that it need not be found anew.
      const { agent, caller } = signalsOf({ gainDb: -20, delayMs: 90, seed: 5 });
      const quiet = new Int16Array(4 * RATE_HZ);
      const judged = judgeCall({ agent: joined(quiet, agent), caller: joined(quiet, caller), detector });
      expect(onsetOf(judged, 6 * 50)).toBe(Number.POSITIVE_INFINITY);
      expect(detector.delayMs).toBeGreaterThan(88);
      expect(detector.delayMs).toBeLessThan(92);
    });

  test("random frames at random times never make a number that is none", () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const random = new Random(seed);
      const detector = new EchoDetector({ codec: "mulaw", outboundRateHz: RATE_HZ });
      const verdicts = new Set<string>();
      for (let i = 0; i < 300; i += 1) {
        const loudness = random.pick([0, 1, 300, 32_767]);
        const frame = Int16Array.from({ length: 160 }, () => random.between(-loudness, loudness));
        const bytes = Uint8Array.from({ length: 160 }, () => random.whole(0, 255));
        if (random.chance(0.7)) detector.sent(bytes, callMs(random.between(0, 1e6)));
        const nowMs = callMs(random.between(0, 1e6));
        verdicts.add(detector.judge(frame, random.chance(0.5), mediaMs(random.between(0, 1e6)), nowMs));
      }
      expect(Number.isFinite(detector.gainDb), `seed ${seed}`).toBe(true);
      expect(
        [...verdicts].every((verdict) => ["echo", "undecided", "other"].includes(verdict)),
        `seed ${seed}`,
      ).toBe(true);
    }
  });
});

test("sending and judging frames leaves no object on the heap", () => {
  const detector = new EchoDetector({ codec: "mulaw", outboundRateHz: RATE_HZ });
  const { agent, caller } = signalsOf({ gainDb: -20, delayMs: 170, seed: 6 });
  const bytes = Uint8Array.from(agent, (sample) => MU_LAW.encodeTable[sample & 0xffff] as number);
  const sent = Array.from({ length: 400 }, (_, i) => bytes.subarray(i * 160, (i + 1) * 160));
  const received = Array.from({ length: 400 }, (_, i) => caller.subarray(i * 160, (i + 1) * 160));
  let i = 0;
  const perRun = heapBytesPerRun(
    () => {
      detector.sent(sent[i % 400] as Uint8Array, callMs(i * 20));
      detector.judge(received[i % 400] as Int16Array, true, mediaMs(i * 20), callMs(i * 20 + 20));
      i += 1;
    },
    400,
    4_000,
  );
  // Numbers that are passed on are boxed where the compiler does not inline, 16 bytes each.
  expect(perRun).toBeLessThan(150);
});

function joined(before: Int16Array, after: Int16Array): Int16Array {
  const both = new Int16Array(before.length + after.length);
  both.set(before);
  both.set(after, before.length);
  return both;
}
