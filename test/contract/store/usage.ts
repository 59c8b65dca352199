import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addMs } from "../../../src/core/clocks.ts";
import type { AccountId, CallId, TranscriptionId } from "../../../src/core/ids.ts";
import type { TranscriptionUsage, UsageQuery } from "../../../src/store/accounts/usage-store.ts";
import type { CallEnd } from "../../../src/store/calls/call-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, endAt } from "../../support/calls/stored-calls.ts";
import { redeemedBy } from "../../support/tokens.ts";
import { FAILURE, newTranscription, OUTCOME, PART, RESULT } from "../../support/transcriptions/stored.ts";
import type { StoresUnderTest } from "./calls.ts";

/** What every UsageStore must do. */
export function usageStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`UsageStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;
    beforeEach(async () => {
      under = make();
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    async function ended(account = accountId, changes: Partial<CallEnd> = {}): Promise<CallId> {
      const { id, tokenHash } = await createCall(stores, account);
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      await stores.calls.finish(id, endAt(under.clock, changes));
      return id;
    }
    const list = (query: Partial<UsageQuery> = {}) => {
      const [endedFromMs, endedBeforeMs] = [addMs(under.clock.epochMs(), -1_000_000), addMs(under.clock.epochMs(), 1)];
      return stores.usage.listEnded(accountId, { endedFromMs, endedBeforeMs, limit: 100, ...query });
    };

    test("has the duration, the agent, the usage and the cost of a call's record", async () => {
      const usage = [
        { stage: "llm" as const, provider: "openai", model: "x", inputTokens: 9, outputTokens: 1, cost: 0.5 },
      ];
      const cost = { currency: "USD", total: 0.5, complete: true };
      const id = await ended(accountId, { usage, cost, durationMs: 61_000 });
      const bare = await ended();
      const endedAtMs = under.clock.epochMs();
      expect(await list()).toEqual(
        [
          { id, endedAtMs, durationMs: 61_000, usage, cost },
          { id: bare, endedAtMs, durationMs: expect.any(Number), usage: [] },
        ].sort((one, other) => (one.id < other.id ? -1 : 1)),
      );
    });

    test("has the calls of the account alone that had a stream and ended within the range, earliest end first", async () => {
      const fromMs = under.clock.epochMs();
      const first = await ended();
      under.clock.advance(1_000);
      const second = await ended();
      await ended(await stores.accounts.ensure("second"));
      const { id: cancelled } = await createCall(stores, accountId);
      await stores.calls.cancel(accountId, cancelled);
      await createCall(stores, accountId);
      const ids = async (query: Partial<UsageQuery>) => (await list(query)).map(({ id }) => id);
      expect(await ids({ endedFromMs: fromMs })).toEqual([first, second]);
      expect(await ids({ endedFromMs: addMs(fromMs, 1) })).toEqual([second]);
      expect(await ids({ endedFromMs: fromMs, endedBeforeMs: addMs(fromMs, 1_000) })).toEqual([first]);
    });

    test("has the transcriptions of the account that used a provider and ended within the range, in pages", async () => {
      const fromMs = under.clock.epochMs();
      const transcribed = async (account = accountId, isUsed = true): Promise<TranscriptionId> => {
        const { id } = await stores.transcriptions.create(newTranscription(account));
        await stores.transcriptions.start(id, undefined);
        if (isUsed) await stores.transcriptions.requesting(id, PART, OUTCOME.provider);
        if (isUsed) await stores.transcriptions.transcribed(id, PART, OUTCOME);
        await stores.transcriptions.end(
          id,
          isUsed ? { status: "completed", result: RESULT } : { status: "failed", failure: FAILURE },
        );
        return id;
      };
      const first = await transcribed();
      const firstEndMs = under.clock.epochMs();
      under.clock.advance(1_000);
      await transcribed(accountId, false);
      await transcribed(await stores.accounts.ensure("second"));
      const second = await transcribed();
      const ids = async (query: Partial<UsageQuery<TranscriptionUsage>>) => {
        const range = { endedFromMs: fromMs, endedBeforeMs: addMs(under.clock.epochMs(), 1), limit: 100 };
        return await stores.usage.listTranscribed(accountId, { ...range, ...query });
      };
      const [one, two] = await ids({});
      expect(one).toEqual({ id: first, endedAtMs: firstEndMs, durationMs: expect.any(Number), usage: OUTCOME.usage });
      expect(two?.id).toBe(second);
      expect((await ids({ limit: 1, after: one })).map(({ id }) => id)).toEqual([second]);
      expect((await ids({ endedFromMs: addMs(firstEndMs, 1) })).map(({ id }) => id)).toEqual([second]);
      expect((await ids({ endedBeforeMs: addMs(firstEndMs, 1) })).map(({ id }) => id)).toEqual([first]);
    });

    test("pages continue after the last call, also where many ended in the same millisecond", async () => {
      const all: CallId[] = [];
      for (let index = 0; index < 7; index += 1) {
        if (index === 4) under.clock.advance(1);
        all.push(await ended());
      }
      const read: CallId[] = [];
      for (let after: UsageQuery["after"]; ; ) {
        const page = await list({ after, limit: 2 });
        read.push(...page.map(({ id }) => id));
        after = page.at(-1);
        if (page.length < 2) break;
      }
      expect([...read].sort()).toEqual([...all].sort());
      expect(new Set(read).size).toBe(7);
    });
  });
}
