import loadModule from "@echogarden/fvad-wasm";
import { expect, test } from "vitest";
import { fvadDetection, fvadFactory, loadFvadDetection } from "../../../src/media/voice-activity/fvad.ts";
import { voiceActivityContract } from "../../contract/media/voice-activity-contract.ts";
import { vowelAt } from "../../support/audio/vowel.ts";
import { decide, framesOf } from "../../support/voice-activity/sounds.ts";

voiceActivityContract("fvad", {
  load: loadFvadDetection,
  version: /^fvad3$/,
  speechShareMin: 0.85,
  rateDifferenceMax: 0.05,
  // It takes every steady sound for speech: see docs/turn-taking.md.
  noiseShare: [0.9, 1],
});

test("decides as the library's mode 3, and unlike every other mode", async () => {
  const fvad = await loadModule();
  const pointer = fvad._malloc(320);
  let state = 1;
  const noise = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  // Faint and loud noise by turns: the decision between speech and noise is close here.
  const frames = framesOf((seconds) => noise() * (Math.floor(seconds * 10) % 2 === 0 ? 200 : 8_000), 3, 8_000);
  const decisionsOf = (mode: number): boolean[] => {
    const vad = fvad._fvad_new();
    fvad._fvad_set_mode(vad, mode);
    fvad._fvad_set_sample_rate(vad, 8_000);
    return frames.map((frame) => {
      fvad.HEAP16.set(frame, pointer / 2);
      return fvad._fvad_process(vad, pointer, frame.length) === 1;
    });
  };
  const { open } = await loadFvadDetection();
  const vad = open(8_000);
  const decisions = decide(vad, frames);
  expect([0, 1, 2, 3].map((mode) => String(decisionsOf(mode)) === String(decisions))).toEqual([
    false,
    false,
    false,
    true,
  ]);
  vad.destroy();
});

test("a detector releases its memory", async () => {
  const fvad = await loadModule();
  const { open } = fvadDetection(fvadFactory(fvad));
  const frame = new Int16Array(160);
  const openAndClose = (): void => {
    const vad = open(8_000);
    vad.isSpeech(frame);
    vad.destroy();
  };
  openAndClose();
  const bytes = fvad.HEAP16.byteLength;
  for (let i = 0; i < 50_000; i += 1) openAndClose();
  expect(fvad.HEAP16.byteLength).toBe(bytes);
});

test("continues when its memory grows and moves", async () => {
  const fvad = await loadModule();
  const vad = fvadFactory(fvad)(8_000, 3);
  const before = fvad.HEAP16;
  expect(fvad._malloc(before.byteLength)).toBeGreaterThan(0);
  expect(before.byteLength).toBe(0);
  expect(decide(vad, framesOf(vowelAt, 1, 8_000)).slice(10)).not.toContain(false);
});

test("reports that there is no memory for another detector", async () => {
  const openFvad = fvadFactory({ ...(await loadModule()), _fvad_new: () => 0 });
  expect(() => openFvad(8_000, 3)).toThrow(expect.objectContaining({ code: "unavailable" }));
});
