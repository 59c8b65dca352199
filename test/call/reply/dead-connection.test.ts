import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { VirtualCall, type VirtualCallOptions, WORD_MS } from "../../support/calls/virtual-call.ts";

const { confirmationMs } = DEFAULT_TURN_PARAMETERS;
/** Each a sentence of four words, which is spoken for 1.2 s. */
const SENTENCES = Array.from({ length: 16 }, (_, index) => `This is sentence number${index}.`);
const TEXT = SENTENCES.join(" ");
const DIES_MS = 3_000;
const LOST_MS = 31_000;
const wordsIn = (text: string): number => text.split(" ").filter(Boolean).length;

/** A call whose stream begins with it. */
function started(options: VirtualCallOptions): VirtualCall {
  const call = new VirtualCall(options);
  call.at(0, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  return call;
}

/** A call whose agent says `TEXT`, and whose line dies in the third sentence. It is found out at `LOST_MS`. */
function deadLine(options: VirtualCallOptions = {}): VirtualCall {
  const call = started({ spec: { greeting: TEXT }, connectionDiesMs: DIES_MS, ...options });
  call.at(LOST_MS, () => call.handle({ kind: "leg-closed", reason: "connection_lost" }));
  call.run(LOST_MS + 1_000);
  return call;
}

/** The words that were played before the line died, by the frames that the far end got. */
const playable = Math.floor((DIES_MS - 20) / WORD_MS);

describe("ADV-M3: on a dead connection", () => {
  test.each([
    ["with marks", true],
    ["without marks", false],
  ])("%s the transcript has what was heard until the last frame of the peer, and is approximate", (_how, marks) => {
    const call = deadLine({ marks });
    expect(call.endReason).toBe("connection_lost");
    expect(call.turns).toHaveLength(1);
    const [turn] = call.turns;
    expect(turn).toMatchObject({ role: "agent", interrupted: true, approximate: true });
    const heard = wordsIn(turn?.text ?? "");
    expect(heard).toBeGreaterThanOrEqual(playable - 1);
    expect(heard).toBeLessThanOrEqual(call.heardWords.length);
    expect(turn?.endMs).toBeLessThan(DIES_MS);
  });

  test("the same words are in the cancel-reply command", () => {
    const call = deadLine();
    const [cancelled] = call.ofKind("cancel-reply");
    expect(cancelled).toMatchObject({ reason: "call_ended", heardText: call.turns[0]?.text });
  });

  test("a reply that has ended by the playback clock has not ended, and is interrupted where the last confirmation was", () => {
    const call = deadLine({ spec: { greeting: SENTENCES.slice(0, 3).join(" ") } });
    expect(call.turns).toMatchObject([{ interrupted: true, approximate: true }]);
    expect(wordsIn(call.turns[0]?.text ?? "")).toBeLessThanOrEqual(call.heardWords.length);
  });

  test("an answer to the caller after the connection died is no turn: it was not heard", () => {
    const call = started({ greeting: "none", spec: { firstSpeaker: "user" }, connectionDiesMs: 1_500 });
    call.says(500, "What time is it?");
    call.at(LOST_MS, () => call.handle({ kind: "leg-closed", reason: "connection_lost" }));
    call.run(LOST_MS + 1_000);
    expect(call.ofKind("generate-reply")).not.toEqual([]);
    expect(call.turns.map(({ role }) => role)).toEqual(["user"]);
  });

  test("audio that ran dry before the last confirmation was heard, whatever was sent after it", () => {
    const call = started({
      spec: { greeting: `${SENTENCES[0]} ${SENTENCES[1]}` },
      marks: false,
      // The second sentence comes 1.2 s after the end of the first.
      tts: { chunks: { ms: 4 * WORD_MS, speed: 0.5 }, wordMs: () => WORD_MS },
      connectionDiesMs: 1_900,
    });
    call.at(2_600, () => call.handle({ kind: "leg-closed", reason: "connection_lost" }));
    call.run(3_000);
    expect(call.turns[0]?.text.startsWith(SENTENCES[0] ?? "-")).toBe(true);
  });
});

describe("ADV-M3: on a live connection without frames", () => {
  const MUTED = { isMuted: (nowMs: number) => nowMs > 500, marks: false };

  test("a pong confirms what was played until it arrived", () => {
    const call = started({ spec: { greeting: TEXT }, ...MUTED });
    call.at(6_000, () => call.handle({ kind: "pong" }));
    call.at(12_000, () => call.handle({ kind: "end-requested", reason: "api_hangup" }));
    call.run(13_000);
    const heard = wordsIn(call.turns[0]?.text ?? "");
    expect(heard).toBeGreaterThanOrEqual(18);
    expect(heard).toBeLessThanOrEqual(20);
    expect(call.turns[0]).toMatchObject({ approximate: true });
  });

  test("a reply ends once a pong confirms that it was played, and its turn is complete", () => {
    const greeting = `${SENTENCES[0]}`;
    const call = started({ spec: { greeting }, ...MUTED });
    call.run(4_000);
    expect(call.turns).toEqual([]);
    call.at(4_010, () => call.handle({ kind: "pong" }));
    call.run(4_100);
    expect(call.turns).toMatchObject([{ text: greeting, interrupted: false }]);
    expect(call.turns[0]).not.toHaveProperty("approximate");
  });

  test("the last frame is trusted for as long as the next one may take", () => {
    const call = started({ spec: { greeting: TEXT }, marks: false, connectionDiesMs: DIES_MS });
    call.at(DIES_MS - 20 + confirmationMs, () => call.handle({ kind: "end-requested", reason: "api_hangup" }));
    call.run(DIES_MS + 1_000);
    expect(call.turns).toMatchObject([{ interrupted: true }]);
    expect(call.turns[0]).not.toHaveProperty("approximate");
  });
});
