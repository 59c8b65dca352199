import { readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../src/core/clock.ts";
import { LOCAL_SPEECH_NICE } from "../../../../src/core/limits/speech-providers/local-speech.ts";
import { SpeechPool } from "../../../../src/speech/local/pool/pool.ts";
import { killTrial, scriptedProgram } from "../../../support/local-speech/kill-trial.ts";
import { spoken, spokenText } from "../../../support/local-speech/scripted-child.ts";

// Real child processes, with a program whose model is a rule.

const taskAt = (rateHz: number) =>
  ({ kind: "transcribe", samples: spoken(4, rateHz), rateHz, language: "en" }) as const;

describe("processes with a speech model", () => {
  test("transcribe, at a low priority and without the environment of the service", async () => {
    const pids: number[] = [];
    const pool = new SpeechPool({
      processes: 1,
      start: scriptedProgram(),
      clock: systemClock,
      observer: { childReady: ({ pid }) => pids.push(pid as number), childEnded: () => {}, jobEnded: () => {} },
    });
    onTestFinished(() => pool.close());
    expect(await pool.submit(taskAt(16_000), "final").outcome).toMatchObject({
      outcome: "done",
      hypothesis: { text: spokenText(4) },
    });
    expect((await pool.submit(taskAt(8_000), "final").outcome).outcome).toBe("done");
    const [pid = 0] = pids;
    expect(getPriority(pid)).toBeGreaterThanOrEqual(LOCAL_SPEECH_NICE);
    if (process.platform === "linux") expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain("PATH=");
    expect(pool.readings.residentBytes).toBeGreaterThan(20_000_000);
  });

  test("that cannot load their model say which file is wrong", async () => {
    const ended: string[] = [];
    const pool = new SpeechPool({
      processes: 1,
      start: scriptedProgram("unloadable"),
      clock: systemClock,
      observer: {
        childReady: () => {},
        childEnded: (cause, detail) => ended.push(`${cause}: ${detail}`),
        jobEnded: () => {},
      },
    });
    onTestFinished(() => pool.close());
    expect(await pool.submit(taskAt(16_000), "final").outcome).toEqual({
      outcome: "failed",
      reason: "the model could not be loaded: encoder_model.onnx has 12 bytes instead of 7937683",
    });
    expect(ended[0]).toBe("not_started: encoder_model.onnx has 12 bytes instead of 7937683");
  });

  test("that are killed at random lose no call and hold none up", async () => {
    const result = await killTrial({ calls: 40, kills: 10, processes: 2, seed: 1 });
    expect(result).toEqual({ right: 40, wrong: 0, failed: 0, stuck: 0, kills: 10 });
  }, 120_000);
});
