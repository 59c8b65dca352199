import { describe, expect, test } from "vitest";
import { type ApiKeyId, asAccountId, asApiKeyId, asCallId, asWorkerId, type WorkerId } from "../../../src/core/ids.ts";
import {
  LAGGING_CALLS_MAX,
  LOAD_REPORT_MS,
  LOAD_SILENCE_MS_MAX,
  LOOP_LAG_MS_MAX,
  LOOP_LAG_RECOVERY_MS,
  WEBRTC_LOOP_LAG_MS_MAX,
} from "../../../src/core/limits/service/admission.ts";
import { type CallOwner, Capacity } from "../../../src/store/admission/capacity.ts";
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
  const createBy = (owner: CallOwner, callsPerAccount?: number, ttlMs = 60_000): string => {
    names += 1;
    const refused = under.reserve(`hash-${names}`, owner, callsPerAccount);
    if (refused !== undefined) return refused;
    under.created(`hash-${names}`, asCallId(`call-${names}`), ttlMs);
    return `call-${names}`;
  };
  return {
    clock,
    under,
    /** Creates a call; returns its id, or the reason of the refusal. */
    create: (apiKeyId?: ApiKeyId, ttlMs = 60_000): string => createBy({ apiKeyId }, undefined, ttlMs),
    createBy,
    /** Advances the time while the worker reports its load. */
    live(forMs: number, workerId: WorkerId, change: Partial<WorkerLoad> = {}): void {
      for (let at = 0; at < forMs; at += LOAD_REPORT_MS) {
        clock.advance(LOAD_REPORT_MS);
        under.loadReported(workerId, load(change));
      }
    },
  };
}

describe("the slot of a telephone call", () => {
  const callId = asCallId("call-phone");
  const accountId = asAccountId("account-1");

  test("is held without a token, however long it rings, until the call is over", () => {
    const { under, live } = places();
    under.workerConnected(asWorkerId("a"), [], load({ callsMax: 1 }));
    expect(under.hold(callId, { accountId })).toBeUndefined();
    live(600_000, asWorkerId("a"), { callsMax: 1 });
    expect(under.available).toBe(0);
    expect(under.hold(asCallId("call-other"), { accountId })).toBe("overloaded");
    under.release(callId);
    expect(under.available).toBe(1);
  });

  test("is freed where the store does not know of it twice in a row, because another node has handled its end", () => {
    const { under, create } = places();
    under.workerConnected(asWorkerId("a"), [], load());
    const waiting = create();
    for (const held of [callId, asCallId("call-other")]) under.hold(held, { accountId });
    const other = new Set([asCallId("call-other")]);
    under.compareHeld(other);
    expect(under.available).toBe(0);
    under.compareHeld(new Set([callId, ...other]));
    under.compareHeld(other);
    expect(under.available).toBe(0);
    under.compareHeld(other);
    expect(under.available).toBe(1);
    expect(waiting).toBe("call-1");
  });

  test("is taken once, and moves to the worker that carries the call", () => {
    const { under } = places();
    under.workerConnected(asWorkerId("a"), [], load({ callsMax: 2 }));
    expect([under.hold(callId, { accountId }, 1), under.hold(callId, { accountId }, 1)]).toEqual([
      undefined,
      undefined,
    ]);
    expect(under.callsOfAccount(accountId)).toBe(1);
    expect(under.hold(asCallId("call-other"), { accountId }, 1)).toBe("account_calls");
    under.assign(callId, asWorkerId("a"));
    expect(under.usage).toEqual({ max: 2, active: 1, reserved: 0 });
    under.release(callId);
    expect(under.callsOfAccount(accountId)).toBe(0);
  });

  test("is held again after a start", () => {
    const { under } = places();
    under.restore([], [], [{ callId, accountId }]);
    under.workerConnected(asWorkerId("a"), [], load({ callsMax: 1 }));
    expect(under.available).toBe(0);
    expect(under.callsOfAccount(accountId)).toBe(1);
  });
});

describe("a slot", () => {
  test("is taken when a call is created, held when it is redeemed, and free when the call is over", () => {
    const { under, create } = places();
    under.workerConnected(asWorkerId("a"), [], load());
    const [first, second, third] = [create(), create(), create()];
    expect([first, second, third, create()]).toEqual(["call-1", "call-2", "call-3", "overloaded"]);
    under.assign(asCallId(first), asWorkerId("a"));
    expect(create()).toBe("overloaded");
    under.release(first);
    expect(under.available).toBe(1);
    under.release(second);
    under.release(second);
    expect(under.available).toBe(2);
  });

  test("exists for each live worker's calls, and not without a worker", () => {
    const { under, create } = places();
    expect(create()).toBe("overloaded");
    under.workerConnected(asWorkerId("a"), [], load());
    under.workerConnected(asWorkerId("b"), [], load({ callsMax: 5 }));
    expect(under.available).toBe(8);
  });

  test("is free when the token expires, to the millisecond, without a call of expire", () => {
    const { under, clock, create } = places();
    under.workerConnected(asWorkerId("a"), [], load({ callsMax: 2 }));
    create(undefined, 1_000);
    create(undefined, 500);
    clock.advance(499);
    expect(create()).toBe("overloaded");
    clock.advance(1);
    expect(under.available).toBe(1);
    clock.advance(500);
    expect(under.available).toBe(2);
  });

  test("is taken while the call is being stored, and released when that fails", () => {
    const { under } = places();
    under.workerConnected(asWorkerId("a"), [], load({ callsMax: 1 }));
    expect(under.reserve("one", { apiKeyId: asApiKeyId("key") })).toBeUndefined();
    expect(under.reserve("two", { apiKeyId: asApiKeyId("key") })).toBe("overloaded");
    under.release("one");
    expect([under.available, under.callsOf(asApiKeyId("key"))]).toEqual([1, 0]);
  });

  test("of a waiting call outlives the worker; those of the worker's calls are lost with it", () => {
    const { under, create } = places();
    under.workerConnected(asWorkerId("a"), [], load());
    under.workerConnected(asWorkerId("b"), [], load());
    for (let calls = 0; calls < 4; calls += 1) create();
    under.assign(asCallId("call-1"), asWorkerId("a"));
    under.assign(asCallId("call-2"), asWorkerId("b"));
    under.workerDisconnected(asWorkerId("a"));
    // Worker b has three slots: one is taken, two calls wait.
    expect(under.available).toBe(0);
    under.release("call-1");
    expect([under.available, create()]).toEqual([0, "overloaded"]);
    under.workerConnected(asWorkerId("c"), [], load());
    expect(under.available).toBe(3);
  });

  test("is counted by the calls that a worker reports, when it reconnects or the control process is new", () => {
    const { under, create } = places();
    const redeemed = { workerId: asWorkerId("a"), workerConnection: 1, epoch: 1 };
    const active = {
      accountId: asAccountId("account"),
      apiKeyId: asApiKeyId("key"),
      ...redeemed,
      recordingEnabled: true,
    };
    under.restore(
      [
        {
          id: asCallId("waits"),
          accountId: asAccountId("account"),
          apiKeyId: asApiKeyId("key"),
          connectionType: "carrier_a",
          remainingMs: 60_000,
        },
      ],
      [
        { ...active, id: asCallId("lives") },
        { ...active, id: asCallId("has ended meanwhile") },
      ],
    );
    expect(under.callsOf(asApiKeyId("key"))).toBe(3);
    under.workerConnected(asWorkerId("a"), [asCallId("lives"), asCallId("unknown")], load({ callsMax: 4 }));
    expect([under.available, under.callsOf(asApiKeyId("key"))]).toEqual([1, 2]);
    // The connection broke and was restored; a call ended in between.
    under.workerConnected(asWorkerId("a"), [asCallId("lives")], load({ callsMax: 4 }));
    expect([under.available, create(), under.available]).toEqual([2, "call-1", 1]);
  });

  test("in excess of a worker's limit takes none of another worker", () => {
    const { under, create } = places();
    under.workerConnected(asWorkerId("a"), [], load());
    under.workerConnected(asWorkerId("b"), [], load());
    for (let calls = 0; calls < 5; calls += 1)
      under.assign(asCallId(create()), calls < 4 ? asWorkerId("a") : asWorkerId("b"));
    expect(under.available).toBe(1);
    under.loadReported(asWorkerId("a"), load({ acceptsCalls: false }));
    expect(under.available).toBe(1);
    create();
    expect(create()).toBe("overloaded");
  });
});

describe("a worker", () => {
  test("that drains has the slots of its calls, and no others", () => {
    const { under, create } = places();
    under.workerConnected(asWorkerId("old"), [], load());
    under.assign(asCallId(create()), asWorkerId("old"));
    under.workerConnected(asWorkerId("new"), [], load());
    under.loadReported(asWorkerId("old"), load({ acceptsCalls: false }));
    expect(under.available).toBe(3);
    under.release("call-1");
    expect(under.available).toBe(3);
  });

  test("D8: whose loop lags gets no more calls, while its calls continue and other workers accept calls", () => {
    const { under, create } = places();
    const callsMax = 2 * LAGGING_CALLS_MAX;
    under.workerConnected(asWorkerId("a"), [], load({ callsMax }));
    for (let calls = 0; calls < LAGGING_CALLS_MAX; calls += 1) under.assign(asCallId(create()), asWorkerId("a"));
    under.loadReported(asWorkerId("a"), load({ callsMax, loopLagMs: LOOP_LAG_MS_MAX + 1 }));
    expect([under.available, create()]).toEqual([0, "overloaded"]);
    under.workerConnected(asWorkerId("b"), [], load());
    expect(under.available).toBe(3);
  });

  test("with WebRTC calls takes those alone, has slots of its own, and may lag less", () => {
    const { under } = places();
    under.workerConnected(asWorkerId("a"), [], load());
    expect(under.reserve("x", {}, undefined, "webrtc")).toBe("overloaded");
    const callsMax = LAGGING_CALLS_MAX + 10;
    under.workerConnected(asWorkerId("b"), [], load({ role: "webrtc", callsMax }));
    expect([under.available, under.availableTo("webrtc"), under.usage.max]).toEqual([3, callsMax, callsMax + 3]);
    expect(under.reserve("y", {}, undefined, "webrtc")).toBeUndefined();
    expect([under.available, under.availableTo("webrtc")]).toEqual([3, callsMax - 1]);
    under.created("y", asCallId("call-y"), 60_000);
    under.assign(asCallId("call-y"), asWorkerId("b"));
    expect([under.available, under.availableTo("webrtc")]).toEqual([3, callsMax - 1]);
    for (const workerId of ["a", "b"])
      under.loadReported(asWorkerId(workerId), {
        ...load({ callsMax, loopLagMs: WEBRTC_LOOP_LAG_MS_MAX + 1 }),
        ...(workerId === "b" && { role: "webrtc" as const }),
      });
    expect([under.available, under.availableTo("webrtc")]).toEqual([callsMax, LAGGING_CALLS_MAX - 1]);
  });

  test("whose loop lags still takes a few calls: with so few the machine is the cause", () => {
    const { under, create } = places();
    const lagging = load({ callsMax: 2 * LAGGING_CALLS_MAX, loopLagMs: LOOP_LAG_MS_MAX + 1 });
    under.workerConnected(asWorkerId("a"), [], lagging);
    under.assign(asCallId(create()), asWorkerId("a"));
    expect(under.available).toBe(LAGGING_CALLS_MAX - 1);
    under.loadReported(asWorkerId("a"), { ...lagging, callsMax: 2 });
    expect(under.available).toBe(1);
  });

  test("which lags and has more calls than those few keeps their slots, and takes none of another worker's", () => {
    const { under } = places();
    const callIds = Array.from({ length: LAGGING_CALLS_MAX + 5 }, (_, index) => `call-of-a-${index}`);
    under.workerConnected(
      asWorkerId("a"),
      callIds.map(asCallId),
      load({ callsMax: 100, loopLagMs: LOOP_LAG_MS_MAX + 1 }),
    );
    under.workerConnected(asWorkerId("b"), [], load());
    expect(under.available).toBe(3);
  });

  test("D11: does not lag at the limit, and after exceeding it takes calls again once it has been below for seconds", () => {
    const { under, live } = places();
    const callsMax = LAGGING_CALLS_MAX + 3;
    under.workerConnected(asWorkerId("a"), [], load({ callsMax, loopLagMs: LOOP_LAG_MS_MAX }));
    expect(under.available).toBe(callsMax);
    live(1_000, asWorkerId("a"), { callsMax, loopLagMs: 80 });
    live(LOOP_LAG_RECOVERY_MS - LOAD_REPORT_MS, asWorkerId("a"), { callsMax });
    expect(under.available).toBe(LAGGING_CALLS_MAX);
    // One lag in between restarts the waiting time.
    live(LOAD_REPORT_MS, asWorkerId("a"), { callsMax, loopLagMs: 80 });
    live(LOOP_LAG_RECOVERY_MS - LOAD_REPORT_MS, asWorkerId("a"), { callsMax });
    expect(under.available).toBe(LAGGING_CALLS_MAX);
    live(LOAD_REPORT_MS, asWorkerId("a"), { callsMax });
    expect(under.available).toBe(callsMax);
  });

  test("D8: that is stuck and reports nothing gets no calls until it reports again", () => {
    const { under, clock, live } = places();
    under.workerConnected(asWorkerId("a"), [], load());
    clock.advance(LOAD_SILENCE_MS_MAX - 1);
    expect(under.available).toBe(3);
    clock.advance(1);
    expect(under.available).toBe(0);
    live(LOAD_REPORT_MS, asWorkerId("a"));
    expect(under.available).toBe(3);
  });

  test("that reports after it disconnected is ignored", () => {
    const { under } = places();
    under.loadReported(asWorkerId("a"), load());
    expect(under.available).toBe(0);
  });
});

describe("an API key", () => {
  test("has at most its limit of calls, created and active, independently of others", () => {
    const { under, create } = places(2);
    under.workerConnected(asWorkerId("a"), [], load({ callsMax: 10 }));
    under.assign(asCallId(create(asApiKeyId("one"))), asWorkerId("a"));
    create(asApiKeyId("one"));
    expect([
      create(asApiKeyId("one")),
      create(asApiKeyId("two")),
      create(asApiKeyId("two")),
      create(asApiKeyId("two")),
      create(),
    ]).toEqual(["api_key_calls", "call-4", "call-5", "api_key_calls", "call-7"]);
    under.release("call-1");
    expect(create(asApiKeyId("one"))).toBe("call-8");
  });

  test("gets its own limit as the first reason, and counts the calls of a lost worker until they have records", () => {
    const { under, create } = places(1);
    under.workerConnected(asWorkerId("a"), [], load({ callsMax: 1 }));
    under.assign(asCallId(create(asApiKeyId("one"))), asWorkerId("a"));
    expect([create(asApiKeyId("one")), create(asApiKeyId("two"))]).toEqual(["api_key_calls", "overloaded"]);
    under.workerDisconnected(asWorkerId("a"));
    under.workerConnected(asWorkerId("b"), [], load());
    expect([create(asApiKeyId("one")), create(asApiKeyId("two"))]).toEqual(["api_key_calls", "call-5"]);
    under.release("call-1");
    expect(create(asApiKeyId("one"))).toBe("call-6");
  });

  test("can create a call again when one of its tokens expires", () => {
    const { under, create, clock } = places(1);
    under.workerConnected(asWorkerId("a"), [], load());
    create(asApiKeyId("one"), 1_000);
    clock.advance(999);
    expect(create(asApiKeyId("one"))).toBe("api_key_calls");
    clock.advance(1);
    expect(create(asApiKeyId("one"))).toBe("call-3");
  });
});

describe("an account", () => {
  const [bakery, florist] = [asAccountId("bakery"), asAccountId("florist")];
  const [one, two] = [asApiKeyId("one"), asApiKeyId("two")];

  test("has at most its limit of calls, whatever API key created them, and another account's calls do not count", () => {
    const { under, createBy } = places();
    under.workerConnected(asWorkerId("a"), [], load({ callsMax: 10 }));
    under.assign(asCallId(createBy({ accountId: bakery, apiKeyId: one }, 2)), asWorkerId("a"));
    expect([
      createBy({ accountId: bakery, apiKeyId: two }, 2),
      createBy({ accountId: bakery, apiKeyId: one }, 2),
      createBy({ accountId: florist, apiKeyId: one }, 2),
      createBy({ accountId: bakery, apiKeyId: two }, 3),
    ]).toEqual(["call-2", "account_calls", "call-4", "call-5"]);
    expect([under.callsOfAccount(bakery), under.callsOfAccount(florist)]).toEqual([3, 1]);
    for (const call of ["call-1", "call-2", "call-5"]) under.release(call);
    expect([under.callsOfAccount(bakery), createBy({ accountId: bakery }, 1)]).toEqual([0, "call-6"]);
  });

  test("can create a call again when one of its tokens expires", () => {
    const { under, createBy, clock } = places();
    under.workerConnected(asWorkerId("a"), [], load());
    createBy({ accountId: bakery }, 1, 1_000);
    expect(createBy({ accountId: bakery }, 1)).toBe("account_calls");
    clock.advance(1_000);
    expect(createBy({ accountId: bakery }, 1)).toBe("call-3");
  });
});
