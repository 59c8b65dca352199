import { describe, expect, test } from "vitest";
import {
  LAGGING_CALLS_MAX,
  LOAD_REPORT_MS,
  LOAD_SILENCE_MS_MAX,
  LOOP_LAG_MS_MAX,
  LOOP_LAG_RECOVERY_MS,
} from "../../../src/core/limits/admission.ts";
import { Capacity } from "../../../src/store/admission/capacity.ts";
import type { WorkerLoad } from "../../../src/store/handoff/messages.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const load = (change: Partial<WorkerLoad> = {}): WorkerLoad => ({
  callCount: 0,
  callsMax: 3,
  loopLagMs: 0,
  acceptsCalls: true,
  ...change,
});

function places(callsPerApiKey?: number) {
  const clock = new ManualClock();
  const under = new Capacity({ clock, callsPerApiKey });
  let names = 0;
  return {
    clock,
    under,
    /** Creates a call; returns its id, or why there is none. */
    create(apiKeyId?: string, ttlMs = 60_000): string {
      names += 1;
      const refused = under.reserve(`hash-${names}`, apiKeyId);
      if (refused !== undefined) return refused;
      under.created(`hash-${names}`, `call-${names}`, ttlMs);
      return `call-${names}`;
    },
    /** Time goes by in which the worker tells how it stands. */
    live(forMs: number, workerId: string, change: Partial<WorkerLoad> = {}): void {
      for (let at = 0; at < forMs; at += LOAD_REPORT_MS) {
        clock.advance(LOAD_REPORT_MS);
        under.loadReported(workerId, load(change));
      }
    },
  };
}

describe("a place", () => {
  test("is taken when a call is created, kept when it is redeemed, and free when the call is over", () => {
    const { under, create } = places();
    under.workerConnected("a", [], load());
    const [first, second, third] = [create(), create(), create()];
    expect([first, second, third, create()]).toEqual(["call-1", "call-2", "call-3", "overloaded"]);
    under.assign(first, "a");
    expect(create()).toBe("overloaded");
    under.release(first);
    expect(under.available).toBe(1);
    under.release(second);
    under.release(second);
    expect(under.available).toBe(2);
  });

  test("is there for each living worker's calls, and for none without one", () => {
    const { under, create } = places();
    expect(create()).toBe("overloaded");
    under.workerConnected("a", [], load());
    under.workerConnected("b", [], load({ callsMax: 5 }));
    expect(under.available).toBe(8);
  });

  test("is free when the token runs out, to the millisecond, though nobody has looked", () => {
    const { under, clock, create } = places();
    under.workerConnected("a", [], load({ callsMax: 2 }));
    create(undefined, 1_000);
    create(undefined, 500);
    clock.advance(499);
    expect(create()).toBe("overloaded");
    clock.advance(1);
    expect(under.available).toBe(1);
    clock.advance(500);
    expect(under.available).toBe(2);
  });

  test("is taken while the call is being stored, and given back when it cannot be", () => {
    const { under } = places();
    under.workerConnected("a", [], load({ callsMax: 1 }));
    expect(under.reserve("one", "key")).toBeUndefined();
    expect(under.reserve("two", "key")).toBe("overloaded");
    under.release("one");
    expect([under.available, under.callsOf("key")]).toEqual([1, 0]);
  });

  test("of a call that waits outlives the worker that it was reserved for; those of the worker's calls go with it", () => {
    const { under, create } = places();
    under.workerConnected("a", [], load());
    under.workerConnected("b", [], load());
    for (let calls = 0; calls < 4; calls += 1) create();
    under.assign("call-1", "a");
    under.assign("call-2", "b");
    under.workerDisconnected("a");
    // Three places of b: one is taken, two wait.
    expect(under.available).toBe(0);
    under.release("call-1");
    expect([under.available, create()]).toEqual([0, "overloaded"]);
    under.workerConnected("c", [], load());
    expect(under.available).toBe(3);
  });

  test("is counted by what a worker says that it carries, when it comes again or another control process was before", () => {
    const { under, create } = places();
    const redeemed = { workerId: "a", workerConnection: 1, epoch: 1 };
    const active = { accountId: "account", apiKeyId: "key", ...redeemed, recordingEnabled: true };
    under.restore(
      [{ id: "waits", apiKeyId: "key", remainingMs: 60_000 }],
      [
        { ...active, id: "lives" },
        { ...active, id: "has ended meanwhile" },
      ],
    );
    expect(under.callsOf("key")).toBe(3);
    under.workerConnected("a", ["lives", "unknown"], load({ callsMax: 4 }));
    expect([under.available, under.callsOf("key")]).toEqual([1, 2]);
    // The connection broke and was mended; a call has ended in between.
    under.workerConnected("a", ["lives"], load({ callsMax: 4 }));
    expect([under.available, create(), under.available]).toEqual([2, "call-1", 1]);
  });

  test("of a worker that carries more than it should is nobody else's", () => {
    const { under, create } = places();
    under.workerConnected("a", [], load());
    under.workerConnected("b", [], load());
    for (let calls = 0; calls < 5; calls += 1) under.assign(create(), calls < 4 ? "a" : "b");
    expect(under.available).toBe(1);
    under.loadReported("a", load({ acceptsCalls: false }));
    expect(under.available).toBe(1);
    create();
    expect(create()).toBe("overloaded");
  });
});

describe("a worker", () => {
  test("that drains has the places of the calls it carries, and no other", () => {
    const { under, create } = places();
    under.workerConnected("old", [], load());
    under.assign(create(), "old");
    under.workerConnected("new", [], load());
    under.loadReported("old", load({ acceptsCalls: false }));
    expect(under.available).toBe(3);
    under.release("call-1");
    expect(under.available).toBe(3);
  });

  test("D8: whose loop lags is offered no call more, while its calls go on and other workers take theirs", () => {
    const { under, create } = places();
    const callsMax = 2 * LAGGING_CALLS_MAX;
    under.workerConnected("a", [], load({ callsMax }));
    for (let calls = 0; calls < LAGGING_CALLS_MAX; calls += 1) under.assign(create(), "a");
    under.loadReported("a", load({ callsMax, loopLagMs: LOOP_LAG_MS_MAX + 1 }));
    expect([under.available, create()]).toEqual([0, "overloaded"]);
    under.workerConnected("b", [], load());
    expect(under.available).toBe(3);
  });

  test("whose loop lags takes a few calls all the same: with so few it is the machine that lags", () => {
    const { under, create } = places();
    const lagging = load({ callsMax: 2 * LAGGING_CALLS_MAX, loopLagMs: LOOP_LAG_MS_MAX + 1 });
    under.workerConnected("a", [], lagging);
    under.assign(create(), "a");
    expect(under.available).toBe(LAGGING_CALLS_MAX - 1);
    under.loadReported("a", { ...lagging, callsMax: 2 });
    expect(under.available).toBe(1);
  });

  test("which lags and has more calls than those few keeps their places, and takes none of another worker's", () => {
    const { under } = places();
    const callIds = Array.from({ length: LAGGING_CALLS_MAX + 5 }, (_, index) => `call-of-a-${index}`);
    under.workerConnected("a", callIds, load({ callsMax: 100, loopLagMs: LOOP_LAG_MS_MAX + 1 }));
    under.workerConnected("b", [], load());
    expect(under.available).toBe(3);
  });

  test("D11: at the bound it lags by nothing, and past it takes calls again when it has been below for seconds", () => {
    const { under, live } = places();
    const callsMax = LAGGING_CALLS_MAX + 3;
    under.workerConnected("a", [], load({ callsMax, loopLagMs: LOOP_LAG_MS_MAX }));
    expect(under.available).toBe(callsMax);
    live(1_000, "a", { callsMax, loopLagMs: 80 });
    live(LOOP_LAG_RECOVERY_MS - LOAD_REPORT_MS, "a", { callsMax });
    expect(under.available).toBe(LAGGING_CALLS_MAX);
    // Once more in between, and the waiting begins anew.
    live(LOAD_REPORT_MS, "a", { callsMax, loopLagMs: 80 });
    live(LOOP_LAG_RECOVERY_MS - LOAD_REPORT_MS, "a", { callsMax });
    expect(under.available).toBe(LAGGING_CALLS_MAX);
    live(LOAD_REPORT_MS, "a", { callsMax });
    expect(under.available).toBe(callsMax);
  });

  test("D8: that is stuck so that it tells nothing is offered no call, until it tells again", () => {
    const { under, clock, live } = places();
    under.workerConnected("a", [], load());
    clock.advance(LOAD_SILENCE_MS_MAX - 1);
    expect(under.available).toBe(3);
    clock.advance(1);
    expect(under.available).toBe(0);
    live(LOAD_REPORT_MS, "a");
    expect(under.available).toBe(3);
  });

  test("that is gone and tells something on its way is none", () => {
    const { under } = places();
    under.loadReported("a", load());
    expect(under.available).toBe(0);
  });
});

describe("an API key", () => {
  test("has as many calls as it may, created and active, and others have theirs", () => {
    const { under, create } = places(2);
    under.workerConnected("a", [], load({ callsMax: 10 }));
    under.assign(create("one"), "a");
    create("one");
    expect([create("one"), create("two"), create("two"), create("two"), create()]).toEqual([
      "rate_limited",
      "call-4",
      "call-5",
      "rate_limited",
      "call-7",
    ]);
    under.release("call-1");
    expect(create("one")).toBe("call-8");
  });

  test("is told of its own limit first, and keeps the calls of a lost worker until they have their records", () => {
    const { under, create } = places(1);
    under.workerConnected("a", [], load({ callsMax: 1 }));
    under.assign(create("one"), "a");
    expect([create("one"), create("two")]).toEqual(["rate_limited", "overloaded"]);
    under.workerDisconnected("a");
    under.workerConnected("b", [], load());
    expect([create("one"), create("two")]).toEqual(["rate_limited", "call-5"]);
    under.release("call-1");
    expect(create("one")).toBe("call-6");
  });

  test("has room again when a token of its runs out", () => {
    const { under, create, clock } = places(1);
    under.workerConnected("a", [], load());
    create("one", 1_000);
    clock.advance(999);
    expect(create("one")).toBe("rate_limited");
    clock.advance(1);
    expect(create("one")).toBe("call-3");
  });
});
