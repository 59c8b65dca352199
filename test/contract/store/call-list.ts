import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { addMs, epochMs } from "../../../src/core/clocks.ts";
import { type AccountId, asCallId, type CallId } from "../../../src/core/ids.ts";
import { CALL_STATUSES, type CallQuery, type CallRecord, type NewCall } from "../../../src/store/calls/call-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { AGENT, createCall, inEveryStatus, listed, listedIds, SPEC, TTL_MS } from "../../support/calls/stored-calls.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import type { StoresUnderTest } from "./calls.ts";

/** What the lists of every CallStore must do. */
export function callListContract(name: string, make: () => StoresUnderTest): void {
  describe(`CallStore contract, lists: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let clock: ManualClock;
    let accountId: AccountId;

    beforeEach(async () => {
      under = make();
      clock = under.clock;
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    const create = (spec?: CallSpec, more?: Partial<NewCall>) => createCall(stores, accountId, spec, more);
    const idsOf = (query?: Partial<CallQuery>) => listedIds(stores, accountId, query);

    test("give the account's calls newest first, and say whether others follow", async () => {
      const calls = [];
      for (let index = 0; index < 5; index++) calls.push(listed((await create()).record));
      calls.reverse();
      expect(await stores.calls.list(accountId, { limit: 5 })).toEqual({ calls, more: false });
      expect(await stores.calls.list(accountId, { limit: 4 })).toEqual({
        calls: calls.slice(0, 4),
        more: true,
        continueAfterId: calls[3]?.id,
      });
      const afterCallId = calls[1]?.id;
      expect(await stores.calls.list(accountId, { limit: 2, afterCallId })).toEqual({
        calls: calls.slice(2, 4),
        more: true,
        continueAfterId: calls[3]?.id,
      });
      expect(await stores.calls.list(accountId, { limit: 1, afterCallId: calls[4]?.id })).toEqual({
        calls: [],
        more: false,
      });
    });

    test("have no gaps and no repeats while calls are created and removed between the pages", async () => {
      const before = [];
      for (let index = 0; index < 25; index++) before.push((await create()).id);
      const seen: CallId[] = [];
      for (let more = true; more; ) {
        const page = await stores.calls.list(accountId, { limit: 4, afterCallId: seen.at(-1) });
        seen.push(...page.calls.map((call) => call.id));
        more = page.more;
        await create();
        // The next page begins at this page's last call, which may have been removed.
        await stores.calls.remove(accountId, seen.at(-1) ?? asCallId(""));
      }
      expect(seen).toEqual(before.reverse());
    });

    test("match every condition, each alone and all together", async () => {
      const [early, { id: agentId }] = [clock.epochMs(), await stores.agents.create(accountId, AGENT)];
      const everything: string[] = [];
      for (const connectionType of ["carrier_a", "websocket"] as const) {
        for (const metadata of [undefined, { shop: "north", vip: true }, { shop: "north", vip: "true", n: 17 }]) {
          const spec = { ...SPEC, connectionType };
          delete spec.metadata;
          const calls = await inEveryStatus(
            stores,
            accountId,
            clock,
            metadata === undefined ? spec : { ...spec, metadata },
          );
          everything.unshift(
            ...Object.values(calls)
              .map((call) => call.id)
              .reverse(),
          );
          clock.advance(1_000);
        }
      }
      everything.unshift((await create(SPEC, { agent: { id: agentId, version: 1, variables: {} } })).id);
      const records = await Promise.all(everything.map((id) => stores.calls.get(accountId, asCallId(id))));
      let queryCount = 0;
      for (const status of [undefined, ...CALL_STATUSES]) {
        for (const connectionType of [undefined, "carrier_a", "websocket", "webrtc"] as const) {
          for (const createdFromMs of [undefined, early, addMs(early, 1_000), addMs(early, 1_001)]) {
            for (const createdBeforeMs of [undefined, early, addMs(early, 3_000), addMs(early, 3_001)]) {
              for (const metadata of [undefined, {}, { vip: "true" }, { shop: "north", n: "17" }, { shop: "south" }]) {
                const query = { status, connectionType, createdFromMs, createdBeforeMs, metadata, limit: 100 };
                const expected = records.filter((call) => call !== undefined && fits(call, query));
                expect(await stores.calls.list(accountId, query)).toEqual({
                  calls: expected.map((call) => call && listed(call)),
                  more: false,
                });
                queryCount += expected.length > 0 ? 1 : 0;
              }
            }
          }
        }
      }
      // The test is meaningful only if the reference has both results.
      expect(queryCount).toBeGreaterThan(100);
      expect(queryCount).toBeLessThan(6 * 4 * 4 * 4 * 5);
    });

    test("T4: show a call whose token has expired as `expired` from that millisecond on", async () => {
      const { id } = await create();
      clock.advance(TTL_MS - 1);
      expect([await idsOf({ status: "created" }), await idsOf({ status: "expired" })]).toEqual([[id], []]);
      clock.advance(1);
      const expired = { status: "expired", endReason: "token_expired", endedAtMs: clock.epochMs() };
      clock.advance(5_000);
      for (const notice of [async () => [], () => stores.calls.expire()]) {
        await notice();
        expect([await idsOf({ status: "created" }), await idsOf({ status: "expired" })]).toEqual([[], [id]]);
        expect((await stores.calls.list(accountId, { limit: 1 })).calls).toMatchObject([expired]);
      }
    });

    test("A10: find metadata by any key and text", async () => {
      const keys = [
        "a",
        "",
        "a.b",
        "$",
        "[0]",
        '"',
        "'",
        "\\",
        "a\u0000b",
        "%",
        "né",
        "👋",
        "' OR 1=1; --",
        '$."a"',
        "toString",
      ];
      const values = [
        "",
        "x",
        "a\u0000b",
        "'; DROP TABLE calls; --",
        '"',
        "null",
        0,
        -1,
        0.1,
        1e21,
        5e-324,
        true,
        false,
      ];
      const numbers = [
        2 ** 53,
        2 ** 53 + 2,
        555_169_505_702_314_240,
        -(2 ** 63),
        1e20,
        0.1 + 0.2,
        1.7976931348623157e308,
      ];
      for (const [index, value] of [...values, ...numbers].entries()) {
        const key = keys[index % keys.length] ?? "";
        const { id } = await create({ ...SPEC, metadata: { [key]: value, other: "x" } });
        const text = typeof value === "string" ? value : JSON.stringify(value);
        expect([key, text, await idsOf({ metadata: { [key]: text } })]).toEqual([key, text, [id]]);
        for (const wrong of [`${text} `, `${text}0`, `${text.toUpperCase()}X`, "%", "*"]) {
          expect(await idsOf({ metadata: { [key]: wrong } })).toEqual([]);
        }
        expect(await idsOf({ metadata: { [`${key}x`]: text } })).toEqual([]);
        await stores.calls.remove(accountId, id);
      }
    });

    test("find nothing by metadata that is not a scalar, or is nested", async () => {
      await create({ ...SPEC, metadata: { none: null, list: ["x"], object: { x: "y" } } });
      for (const metadata of [
        { none: "null" },
        { none: "" },
        { list: "x" },
        { list: '["x"]' },
        { object: '{"x":"y"}' },
        { x: "y" },
        { "object.x": "y" },
      ]) {
        expect(await idsOf({ metadata })).toEqual([]);
      }
    });

    test("a time may be any that a client can write", async () => {
      const { id } = await create();
      const [first, last] = [epochMs(0), epochMs(Date.UTC(9999, 11, 31))];
      expect(await idsOf({ createdFromMs: first, createdBeforeMs: last })).toEqual([id]);
      expect(await idsOf({ createdFromMs: epochMs(Date.UTC(0, 0, 1)) })).toEqual([id]);
      expect(await idsOf({ createdFromMs: last })).toEqual([]);
      expect(await idsOf({ createdBeforeMs: first })).toEqual([]);
    });

    test("any scalar under any key is found by its text", async () => {
      const scalar = fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.boolean(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.maxSafeInteger(),
      );
      const key = fc.string({ unit: "grapheme" }).filter((name) => name !== "__proto__");
      await fc.assert(
        fc.asyncProperty(key, scalar, async (name, value) => {
          const { id } = await create({ ...SPEC, metadata: { [name]: value } });
          const text = typeof value === "string" ? value : JSON.stringify(value);
          expect(await idsOf({ metadata: { [name]: text } })).toEqual([id]);
          await stores.calls.remove(accountId, id);
        }),
        // SQLite reads this number one bit off.
        { numRuns: 100, examples: [["a", -7.682774260870828e-149]] },
      );
    });

    test("ADV-M1: show very large calls without their tools, page by page, and find one among them", async () => {
      const parameters = { type: "object", description: "x".repeat(250_000) };
      const tool = { kind: "client", name: "order", description: "Orders.", parameters } as const;
      const tools = [{ ...tool, timeoutMs: 1_000, waits: true, fixedArguments: {} }];
      const calls: CallId[] = [];
      for (let index = 0; index < 30; index++) {
        calls.unshift((await create({ ...SPEC, tools: tools as never, metadata: { index } })).id);
      }
      const { calls: found, more } = await stores.calls.list(accountId, { limit: 25 });
      expect([found.map(({ id }) => id), more]).toEqual([calls.slice(0, 25), true]);
      expect(JSON.stringify(found).length).toBeLessThan(25 * 2_000);
      expect(await idsOf({ afterCallId: calls[24] })).toEqual(calls.slice(25));
      expect(await idsOf({ metadata: { index: "3" } })).toEqual([calls[26]]);
    });

    test("find the one call in two thousand that matches, and continue after it", async () => {
      const wanted = [];
      for (let index = 0; index < 2_000; index++) {
        const isWanted = index === 3 || index === 700 || index === 1_500;
        const { id } = await create({ ...SPEC, metadata: { wanted: isWanted } });
        if (isWanted) wanted.unshift(id);
      }
      const query = { metadata: { wanted: "true" }, limit: 1 };
      expect(await idsOf({ ...query, limit: 100 })).toEqual(wanted);
      for (const [index, id] of wanted.entries()) {
        const page = await stores.calls.list(accountId, { ...query, afterCallId: wanted[index - 1] });
        expect([page.calls.map((call) => call.id), page.more]).toEqual([[id], index < 2]);
      }
    });
  });
}

/** A reference implementation of the list's conditions. */
function fits({ status, settings, createdAtMs }: CallRecord, query: CallQuery): boolean {
  const { metadata = {} } = settings;
  const texts = new Map(
    Object.entries(metadata).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
  );
  return (
    (query.status === undefined || status === query.status) &&
    (query.connectionType === undefined || settings.connectionType === query.connectionType) &&
    createdAtMs >= (query.createdFromMs ?? 0) &&
    createdAtMs < (query.createdBeforeMs ?? Number.POSITIVE_INFINITY) &&
    Object.entries(query.metadata ?? {}).every(([key, text]) => texts.get(key) === text)
  );
}
