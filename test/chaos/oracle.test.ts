import { describe, expect, test } from "vitest";
import type { CallerStory } from "../callers/counting-caller.ts";
import { type Evidence, type OracleRecord, recoveriesMs, verdict } from "./oracle.ts";

const KILL_MS = 10_000;

const story = (callId: string, outcome: CallerStory["outcome"], brokeMs = 0): CallerStory => ({
  callId,
  outcome,
  sent: 100,
  tenthsMs: [],
  received: 50,
  brokeMs,
  why: "",
});

const record = (endReason: string): OracleRecord => ({
  status: "ended",
  endReason,
  durationMs: 2_000,
  recording: { durationMs: 2_000, complete: endReason === "caller_hangup" },
  counters: { framesIn: 100, framesOut: 50 },
  turns: 1,
  samples: 16_000,
});

/** A clean run: one call that was hung up, one that was lost with its worker, one that was refused after the kill. */
interface Scene extends Evidence {
  stories: [hungUp: CallerStory, lost: CallerStory, refused: CallerStory];
  records: Map<string, OracleRecord>;
  recordedMs: Map<string, number[]>;
}

const clean = (): Scene => ({
  stories: [story("hung", "hung_up"), story("lost", "lost", KILL_MS + 5), story("refused", "refused", KILL_MS + 500)],
  records: new Map([
    ["hung", record("caller_hangup")],
    ["lost", record("worker_lost")],
    ["refused", { ...record("token_expired"), status: "expired" }],
  ]),
  recordedMs: new Map([
    ["hung", [5_000]],
    ["lost", [KILL_MS + 900]],
  ]),
  kills: [{ pid: 7, atMs: KILL_MS, workers: new Map([["lost", "worker-one"]]) }],
});

/** The scene with another record in the place of one. */
function withRecord(callId: string, changed: Partial<OracleRecord>): Scene {
  const scene = clean();
  scene.records.set(callId, { ...(scene.records.get(callId) as OracleRecord), ...changed });
  return scene;
}

function changed(change: (scene: Scene) => void): Scene {
  const scene = clean();
  change(scene);
  return scene;
}

describe("the oracle", () => {
  test("finds no problem in a clean run, and measures the recovery", () => {
    expect(verdict(clean())).toEqual([]);
    expect(recoveriesMs(clean())).toEqual([900]);
  });

  test.each<[what: string, scene: Scene, says: string]>([
    ["a call without a record", changed(({ records }) => records.delete("hung")), "it has no record"],
    ["one that never ended", withRecord("lost", { status: "active" }), "it is still active"],
    ["one that ended twice", changed(({ recordedMs }) => recordedMs.set("hung", [1, 2])), "it was recorded 2 times"],
    ["one that ended never", changed(({ recordedMs }) => recordedMs.delete("hung")), "it was recorded 0 times"],
    ["a frame that did not come", changed(({ stories }) => (stories[0].sent = 101)), "101 frames were sent, 100 came"],
    ["a frame not heard", changed(({ stories }) => (stories[0].received = 49)), "sent to the caller, 49 came"],
    ["another end", withRecord("hung", { endReason: "protocol_error" }), "it ended with protocol_error"],
    [
      "a recording with a hole",
      withRecord("hung", { recording: { durationMs: 2_000, complete: false } }),
      "not complete",
    ],
    ["a recording too short", withRecord("lost", { samples: 15_000 }), "its recording's file holds 1875 ms"],
    ["a lost call without words", withRecord("lost", { turns: 0 }), "its transcript is empty"],
    ["a late recovery", changed(({ recordedMs }) => recordedMs.set("lost", [KILL_MS + 5_001])), "took 5001 ms"],
    [
      "too much lost",
      withRecord("lost", { counters: { framesIn: 49, framesOut: 50 } }),
      "100 frames were sent, 49 recovered",
    ],
    ["more than there was", withRecord("lost", { counters: { framesIn: 101, framesOut: 50 } }), "101 recovered"],
    ["lost without a kill", changed(({ stories }) => (stories[1].brokeMs = 5_000)), "though no worker had died"],
    ["refused without a kill", changed(({ stories }) => (stories[2].brokeMs = 5_000)), "though no process had died"],
    [
      "a call of another worker lost with it",
      changed(({ kills, stories }) => {
        (kills[0]?.workers as Map<string, string>).set("hung", "worker-two");
        stories[0].outcome = "lost";
        stories[0].brokeMs = KILL_MS + 6;
      }),
      "1 of another worker were lost with it",
    ],
  ])("finds %s", (_what, scene, says) => {
    expect(verdict(scene).join("\n")).toContain(says);
  });
});
