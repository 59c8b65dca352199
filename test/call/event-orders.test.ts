import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../src/call/parameters.ts";
import { InterimRequests } from "../../src/call/turn-taking/interim-requests.ts";
import { stepTurn } from "../../src/call/turn-taking/turn.ts";
import { INITIAL_TURN } from "../../src/call/turn-taking/turn-state.ts";
import { addMs, callMs } from "../../src/core/clocks.ts";
import { asTurnId } from "../../src/core/ids.ts";
import { OrderFailure, runOrder } from "../support/calls/event-order.ts";
import { VirtualCall } from "../support/calls/virtual-call.ts";

const ORDERS = 2_000;

describe("Z3: random orders of events", () => {
  test(`in ${ORDERS} of them a call ends once, says nothing after it, and always knows what it waits for`, () => {
    for (let seed = 1; seed <= ORDERS; seed += 1) runOrder(seed);
  });

  test("are the same for the same seed, and one that fails names it", () => {
    const eventsOf = (seed: number): string[] => {
      const lines: string[] = [];
      runOrder(seed, (line) => lines.push(line));
      return lines;
    };
    expect(eventsOf(7)).toEqual(eventsOf(7));
    expect(eventsOf(7)).not.toEqual(eventsOf(8));
    const stops = (): never => {
      throw new Error("as it must not");
    };
    expect(() => runOrder(7, stops)).toThrow(OrderFailure);
    expect(() => runOrder(7, stops)).toThrow("seed 7: as it must not");
  });
});

describe("faults that they found", () => {
  test("an interim transcript is requested exactly at its deadline, with fractions of a millisecond too", () => {
    const requests = new InterimRequests(DEFAULT_TURN_PARAMETERS, false);
    const voiceMs = 15_977.230459285829;
    const { turn } = stepTurn(
      {
        ...INITIAL_TURN,
        agent: {
          at: "replying",
          turnId: asTurnId(2),
          interruptible: true,
          audible: true,
          pausedSinceMs: undefined,
          pauses: 2,
        },
      },
      { kind: "speech-started", startMs: callMs(voiceMs) },
      callMs(voiceMs + 60),
      { parameters: DEFAULT_TURN_PARAMETERS, sttHasInterim: false, language: "en" },
    );
    const dueMs = requests.dueMs(turn.caller, turn.agent, callMs(Number.POSITIVE_INFINITY));
    expect(dueMs).toBe(voiceMs + DEFAULT_TURN_PARAMETERS.interimRequestMs);
    requests.requested(turn.agent, dueMs);
    expect(requests.dueMs(turn.caller, turn.agent, callMs(Number.POSITIVE_INFINITY))).toBe(
      addMs(dueMs, DEFAULT_TURN_PARAMETERS.interimIntervalMs),
    );
  });

  test("a DTMF entry that completes when the goodbye has been heard is ignored", () => {
    const call = new VirtualCall({ marks: false, answer: () => ({ text: "Goodbye!", hangUp: true }) });
    call.handle({ kind: "leg-started", codec: "mulaw" });
    call.says(3_000, "that was all");
    // Heard to its end, and still waiting for the mark that would say so.
    call.at(4_900, () => call.handle({ kind: "dtmf", digit: "#" }));
    call.run(10_000);
    expect(call.endReason).toBe("agent_hangup");
    expect(call.endMs).toBe(4_900);
    expect(call.ofKind("generate-reply")).toHaveLength(1);
  });
});
