import { describe, expect, test } from "vitest";
import { REWIND_MS_MAX } from "../../../src/core/limits/calls/calls.ts";
import { VirtualCall, type VirtualCallOptions, WORD_MS } from "../../support/calls/virtual-call.ts";

/** Each a sentence of four words, which is spoken for 1.2 s. */
const SENTENCES = Array.from({ length: 8 }, (_, index) => `This is sentence number${index}.`);
const TEXT = SENTENCES.join(" ");
const TEXT_MS = TEXT.split(" ").length * WORD_MS;

/** A call whose stream begins with it. */
function started(options: VirtualCallOptions = {}): VirtualCall {
  const call = new VirtualCall({ spec: { greeting: TEXT }, ...options });
  call.at(0, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  return call;
}

/** A call whose agent says TEXT, and whose leg is lost at `fromMs`; another one is attached at `toMs`. */
function interrupted(fromMs: number, toMs: number, options: VirtualCallOptions = {}): VirtualCall {
  const call = started(options);
  call.detach(fromMs);
  call.attach(toMs);
  call.run(toMs + TEXT_MS + 3_000);
  return call;
}

describe("a call whose leg is lost and that gets another one", () => {
  test.each([
    ["with marks", true],
    ["without marks", false],
  ])("%s the caller hears every word of the agent, and none twice but the one that was cut", (_how, marks) => {
    for (const fromMs of [900, 1_300, 2_510, 4_444, 7_777]) {
      const call = interrupted(fromMs, fromMs + 4_000, { marks });
      const heard = call.heardWords;
      const words = TEXT.split(" ");
      // The caller counts a word as heard when its last frame was played.
      expect(heard.filter((word, index) => word !== heard[index - 1])).toEqual(words);
      expect(heard.length).toBeLessThanOrEqual(words.length + 1);
      expect(call.turns).toMatchObject([{ role: "agent", text: TEXT, interrupted: false }]);
    }
  });

  test("nothing is sent while there is no leg, and what was not heard is sent again, in whole frames", () => {
    const call = interrupted(2_510, 6_000);
    const [rewind] = call.ofKind("rewind");
    expect(rewind).toMatchObject({ turnId: 1 });
    expect((rewind?.samples ?? 0) % 160).toBe(0);
    // No more than the lead of the sender.
    expect(rewind?.samples).toBeGreaterThan(0);
    expect(rewind?.samples).toBeLessThanOrEqual(8 * 200);
  });

  test("the agent's state stays: it goes on speaking", () => {
    const call = interrupted(2_000, 5_000);
    expect(call.ofKind("state").map(({ state }) => state)).toEqual(["speaking", "listening"]);
  });

  test("a peer that had gone silent long before hears again what it may have missed, up to a limit", () => {
    const call = started({ connectionDiesMs: 2_000 });
    call.detach(9_000);
    call.run(9_100);
    const [rewind] = call.ofKind("rewind");
    expect(rewind?.samples).toBe(8 * REWIND_MS_MAX);
  });

  test("the caller's speech ends with the leg, and is answered when there is another one", () => {
    const call = started({ greeting: "none", spec: { firstSpeaker: "user" } });
    call.says(500, "What time is it?");
    call.detach(1_800);
    call.attach(5_000);
    call.run(9_000);
    expect(call.turns.map(({ role, text }) => [role, text])).toEqual([
      ["user", "What time is it?"],
      ["agent", "You said What time is it?."],
    ]);
    expect(call.turns[1]?.startMs).toBeGreaterThanOrEqual(5_000);
  });

  test("time without a leg is no inactivity of the caller, and no TTS fails in it", () => {
    const call = started({ spec: { greeting: TEXT, inactivityTimeoutMs: 10_000 } });
    call.detach(1_000);
    call.attach(14_000);
    call.run(15_000);
    expect([call.endReason, call.ofKind("speak").some(({ reason }) => reason === "inactivity")]).toEqual([
      undefined,
      false,
    ]);
  });

  test("a reply that was heard to its end is not repeated", () => {
    const call = interrupted(TEXT_MS + 1_000, TEXT_MS + 3_000);
    expect([call.ofKind("rewind"), call.turns.length]).toEqual([[], 1]);
  });

  test("a goodbye while there is no leg ends the call at once, because it cannot be heard", () => {
    const call = started();
    call.detach(1_000);
    call.at(2_000, () => call.handle({ kind: "goodbye-requested", reason: "drain_timeout" }));
    call.run(3_000);
    expect([call.endReason, call.endMs]).toEqual(["drain_timeout", 2_000]);
  });

  test("a leg that is not replaced ends the call for the reason that the service gives, with what was heard", () => {
    const call = started();
    call.detach(2_510);
    call.at(17_510, () => call.handle({ kind: "leg-closed", reason: "connection_lost" }));
    call.run(18_000);
    expect(call.endReason).toBe("connection_lost");
    expect(call.turns).toMatchObject([{ role: "agent", interrupted: true }]);
    expect(TEXT.startsWith(call.turns[0]?.text ?? "-")).toBe(true);
    expect(call.turns[0]?.text.split(" ").length).toBe(call.heardWords.length);
  });
});
