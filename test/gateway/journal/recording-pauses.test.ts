import { describe, expect, test } from "vitest";
import { callMs } from "../../../src/core/clocks.ts";
import { asToolCallId, asTurnId } from "../../../src/core/ids.ts";
import { JournaledPauses } from "../../../src/gateway/journal/recording-pauses.ts";

const turn = (startMs: number, endMs: number) => ({
  kind: "turn" as const,
  turn: { role: "user" as const, text: "x", startMs: callMs(startMs), endMs: callMs(endMs), interrupted: false },
});

/** A pause from 1 to 2 s in which the caller speaks. */
function paused(inPause: (pauses: JournaledPauses) => void = () => {}): JournaledPauses {
  const pauses = new JournaledPauses();
  pauses.command({ kind: "recording-paused" }, callMs(1_000));
  pauses.speech();
  inPause(pauses);
  pauses.command({ kind: "recording-resumed", pausedMs: 1_000 }, callMs(2_000));
  return pauses;
}

describe("what is withheld of a call whose recording was paused", () => {
  test("is every turn that lies in the pause, even in part", () => {
    const pauses = new JournaledPauses();
    pauses.command({ kind: "recording-paused" }, callMs(1_000));
    expect(pauses.withholdsCommand(turn(0, 900))).toBe(true);
    pauses.command({ kind: "recording-resumed", pausedMs: 1_000 }, callMs(2_000));
    expect(pauses.withholdsCommand(turn(0, 900))).toBe(false);
    expect(pauses.withholdsCommand(turn(500, 1_100))).toBe(true);
    expect(pauses.withholdsCommand(turn(1_900, 2_500))).toBe(true);
    expect(pauses.withholdsCommand(turn(500, 2_500))).toBe(true);
    expect(pauses.withholdsCommand(turn(2_000, 2_500))).toBe(false);
  });

  test("is the transcript of speech without words in the pause, until its final", () => {
    const pauses = paused();
    pauses.speech();
    expect(pauses.withholdsEvent({ kind: "stt-interim", text: "x" })).toBe(true);
    expect(pauses.withholdsEvent({ kind: "dtmf", digit: "1" })).toBe(false);
    expect(pauses.withholdsEvent({ kind: "stt-final", text: "x" })).toBe(true);
    expect(pauses.withholdsEvent({ kind: "stt-final", text: "y" })).toBe(false);
    expect(pauses.withholdsCommand(turn(2_100, 2_500))).toBe(false);
  });

  test("are all transcripts that come before the caller speaks again, and what becomes of them", () => {
    const pauses = paused();
    const said = (text: string): boolean => pauses.withholdsEvent({ kind: "stt-final", text });
    const agentTurn = { ...turn(2_400, 3_000), turn: { ...turn(2_400, 3_000).turn, role: "agent" as const } };
    const tool = { turnId: asTurnId(3), toolCallId: asToolCallId("3.1") };
    expect([said("one"), said("two")]).toEqual([true, true]);
    // The reply that the words have interrupted.
    expect(pauses.withholdsCommand(agentTurn)).toBe(true);
    expect(pauses.withholdsCommand(turn(2_300, 2_300))).toBe(true);
    pauses.command({ kind: "run-tool", ...tool, name: "t", arguments: {} }, callMs(2_350));
    pauses.speech();
    expect(pauses.withholdsEvent({ kind: "reply-text", turnId: asTurnId(3), text: "two" })).toBe(true);
    expect(pauses.withholdsCommand(agentTurn)).toBe(true);
    expect(said("three")).toBe(false);
    expect(pauses.withholdsCommand(turn(3_300, 3_500))).toBe(false);
    expect(pauses.withholdsEvent({ kind: "tool-result", ...tool, result: "x", failed: false })).toBe(true);
  });

  test("are transcripts that repeat words of the pause, and the turn with them", () => {
    const pauses = paused((pauses) => {
      expect(pauses.withholdsEvent({ kind: "stt-interim", text: "four one" })).toBe(true);
    });
    pauses.speech();
    expect(pauses.withholdsEvent({ kind: "stt-final", text: "four one hello" })).toBe(true);
    expect(pauses.withholdsCommand(turn(2_300, 2_500))).toBe(true);
  });

  test("is nothing where the caller was silent in the pause", () => {
    const pauses = new JournaledPauses();
    pauses.command({ kind: "recording-paused" }, callMs(1_000));
    pauses.command({ kind: "recording-resumed", pausedMs: 1_000 }, callMs(2_000));
    expect(pauses.withholdsEvent({ kind: "stt-final", text: "y" })).toBe(false);
  });

  test("is the result of a tool that was run in the pause, also after it", () => {
    const pauses = new JournaledPauses();
    const turnId = asTurnId(2);
    const result = { kind: "tool-result", turnId, result: "x", failed: false } as const;
    pauses.command({ kind: "recording-paused" }, callMs(1_000));
    pauses.command(
      { kind: "run-tool", turnId, toolCallId: asToolCallId("2.1"), name: "t", arguments: {} },
      callMs(1_100),
    );
    pauses.command({ kind: "recording-resumed", pausedMs: 1_000 }, callMs(2_000));
    expect(pauses.withholdsEvent({ ...result, toolCallId: asToolCallId("2.1") })).toBe(true);
    expect(pauses.withholdsEvent({ ...result, toolCallId: asToolCallId("2.2") })).toBe(false);
  });

  test("are questions to corpora and their passages until the agent has answered what was said in the pause", () => {
    const pauses = new JournaledPauses();
    const ask = (retrieval: number): boolean => {
      const command = { kind: "retrieve", retrieval, question: "x", language: "en-US" } as const;
      pauses.command(command, callMs(2_500));
      return pauses.withholdsCommand(command);
    };
    const passages = { kind: "passages", tookMs: 1, passages: [] } as const;
    expect(ask(1)).toBe(false);
    pauses.command({ kind: "recording-paused" }, callMs(1_000));
    pauses.command({ kind: "recording-resumed", pausedMs: 1_000 }, callMs(2_000));
    expect(ask(2)).toBe(true);
    const answer = { ...turn(3_000, 3_500).turn, role: "agent" as const };
    pauses.command({ kind: "turn", turn: answer }, callMs(3_500));
    expect(pauses.withholdsEvent({ ...passages, retrieval: 2 })).toBe(true);
    expect(ask(3)).toBe(false);
    expect(pauses.withholdsEvent({ ...passages, retrieval: 3 })).toBe(false);
  });
});
