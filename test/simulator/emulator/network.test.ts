import { describe, expect, test } from "vitest";
import { SeededIds } from "../../../src/simulator/emulator/ids.ts";
import { durationS, type Leg, TelephoneNetwork } from "../../../src/simulator/emulator/network.ts";
import { PERSON_DEFAULT, SCENARIO_DEFAULT, type Scenario } from "../../../src/simulator/emulator/scenario.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const [CUSTOMER, PERSON] = ["+12025550187", "+12025550142"];
const ORDER = { from: CUSTOMER, to: PERSON, ringMsMax: 30_000 };

/** A network whose events are recorded. */
function makeNetwork(scenario: Partial<Scenario> = {}): {
  clock: ManualClock;
  network: TelephoneNetwork;
  events: string[];
} {
  const clock = new ManualClock();
  const events: string[] = [];
  const note = (what: string) => (leg: Leg, detail?: string) => {
    events.push([what, leg.cause ?? detail, leg.endedBy].filter((part) => part !== undefined).join(" "));
  };
  const observer = { ringing: note("ringing"), answered: note("answered"), digit: note("digit"), ended: note("ended") };
  const network = new TelephoneNetwork(clock, new SeededIds(1), observer, { ...SCENARIO_DEFAULT, ...scenario });
  return { clock, network, events };
}

describe("a person who is called", () => {
  test.each([
    ["answer", ["ringing", "answered"]],
    ["machine", ["ringing", "answered"]],
    ["busy", ["ended busy network"]],
    ["no_answer", ["ringing", "ended no_answer network"]],
    ["decline", ["ringing", "ended declined person"]],
    ["invalid_number", ["ended invalid_number network"]],
    ["unreachable", ["ended failed network"]],
  ] as const)("may %s", (does, expected) => {
    const { clock, network, events } = makeNetwork({ people: { [PERSON]: [{ does }] } });
    const leg = network.dial(ORDER);
    clock.advance(60_000);
    expect(events).toEqual(expected);
    expect(leg.isMachine).toBe(does === "machine");
  });

  test("who reacts only after the ring time-out does not answer", () => {
    const { clock, network, events } = makeNetwork({ person: { ...PERSON_DEFAULT, reactsAfterMs: 30_000 } });
    network.dial(ORDER);
    clock.advance(PERSON_DEFAULT.ringsAfterMs + ORDER.ringMsMax);
    expect(events).toEqual(["ringing", "ended no_answer network"]);
  });

  test("does what the plans say, one call after the other, and the last one ever after", () => {
    const { clock, network } = makeNetwork({ people: { [PERSON]: [{ does: "busy" }, { does: "answer" }] } });
    const legs = [0, 1, 2].map(() => {
      const leg = network.dial(ORDER);
      clock.advance(1_000);
      return leg;
    });
    expect(legs.map(({ state }) => state)).toEqual(["ended", "answered", "answered"]);
  });

  test("presses digits and hangs up at the planned times", () => {
    const plan = { hangsUpAfterMs: 1_500, presses: [{ digit: "4", afterMs: 500 }] };
    const { clock, network, events } = makeNetwork({ people: { [PERSON]: [plan] } });
    const leg = network.dial(ORDER);
    clock.advance(10_000);
    expect(events).toEqual(["ringing", "answered", "digit 4", "ended completed person"]);
    expect(durationS(leg)).toBe(2);
  });
});

describe("a person who calls", () => {
  test("is answered, and is hung up on", () => {
    const { network, events } = makeNetwork();
    const leg = network.receive({ from: PERSON, to: CUSTOMER });
    network.answer(leg);
    network.answer(leg);
    network.hangUp(leg, "account");
    network.hangUp(leg, "account");
    expect(events).toEqual(["answered", "ended completed account"]);
  });

  test("gives up when the account does not answer", () => {
    const { clock, network, events } = makeNetwork();
    network.receive({ from: PERSON, to: CUSTOMER }, { givesUpAfterMs: 5_000 });
    clock.advance(5_000);
    expect(events).toEqual(["ended canceled person"]);
  });

  test("may be refused, before the answer only", () => {
    const { network, events } = makeNetwork();
    network.reject(network.receive({ from: PERSON, to: CUSTOMER }), "busy");
    const answered = network.receive({ from: PERSON, to: CUSTOMER });
    network.answer(answered);
    network.reject(answered, "busy");
    expect(events).toEqual(["ended busy account", "answered"]);
  });
});

test("an outbound call that the account ends before the answer is cancelled, and nothing happens to it afterwards", () => {
  const { clock, network, events } = makeNetwork();
  const leg = network.dial(ORDER);
  clock.advance(PERSON_DEFAULT.ringsAfterMs);
  network.hangUp(leg, "account");
  clock.advance(60_000);
  expect(events).toEqual(["ringing", "ended canceled account"]);
  expect(clock.pending).toBe(0);
});

test("a call has a price for each minute that has begun, once the carrier knows it", () => {
  const { clock, network } = makeNetwork({ pricePerMinute: 0.01, pricedAfterMs: 2_000 });
  const leg = network.dial(ORDER);
  clock.advance(250);
  clock.advance(61_000);
  expect(network.priceOf(leg)).toBeUndefined();
  network.hangUp(leg, "person");
  clock.advance(1_999);
  expect(network.priceOf(leg)).toBeUndefined();
  clock.advance(1);
  expect(network.priceOf(leg)).toBe(0.02);
});

test("a call that was not answered costs nothing", () => {
  const { clock, network } = makeNetwork({ people: { [PERSON]: [{ does: "busy" }] } });
  const leg = network.dial(ORDER);
  clock.advance(60_000);
  expect(network.priceOf(leg)).toBe(0);
});

test("the ids of calls depend only on the seed", () => {
  const idsOf = (seed: number): string[] => {
    const network = new TelephoneNetwork(new ManualClock(), new SeededIds(seed), {
      ringing: () => {},
      answered: () => {},
      digit: () => {},
      ended: () => {},
    });
    return [network.dial(ORDER), network.dial(ORDER)].map(({ hex }) => hex);
  };
  expect(idsOf(7)).toEqual(idsOf(7));
  expect(idsOf(7)).not.toEqual(idsOf(8));
});
