import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addMs } from "../../../src/core/clocks.ts";
import { type AccountId, asCallId, type CallId } from "../../../src/core/ids.ts";
import { RETAINED_PARTS } from "../../../src/core/retention.ts";
import type { CallEnd } from "../../../src/store/calls/call-store.ts";
import type { DueCall } from "../../../src/store/calls/retention-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, endAt, inEveryStatus, SPEC, TURNS } from "../../support/calls/stored-calls.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { redeemedBy } from "../../support/tokens.ts";
import type { StoresUnderTest } from "./calls.ts";

const RECORDING = { channels: 2, sampleRateHz: 8_000, durationMs: 5_000, complete: true };

/** What every RetentionStore must do. */
export function retentionStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`RetentionStore contract: ${name}`, () => {
    let stores: Stores;
    let clock: ManualClock;
    let accountId: AccountId;

    beforeEach(async () => {
      const under = make();
      clock = under.clock;
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    /** A call that ends now. */
    async function ended(account = accountId, changes: Partial<CallEnd> = {}): Promise<CallId> {
      const { id, tokenHash } = await createCall(stores, account);
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      await stores.calls.finish(id, endAt(clock, changes));
      await stores.calls.setRecording(id, RECORDING);
      return id;
    }

    const due = async (query: Partial<Parameters<Stores["retention"]["listDue"]>[1]> = {}): Promise<string[]> => {
      const all = { part: "record" as const, endedBeforeMs: addMs(clock.epochMs(), 1), limit: 100 };
      return (await stores.retention.listDue(accountId, { ...all, ...query })).map(({ id }) => id);
    };

    test("ADV-M7: lists the account's calls that ended before a time, earliest end first, and no live call", async () => {
      const old = await ended();
      clock.advance(1_000);
      const borderMs = clock.epochMs();
      const { ended: recent, failed, expired } = await inEveryStatus(stores, accountId, clock, SPEC);
      await ended(await stores.accounts.ensure("second"));
      await stores.calls.expire();
      for (const part of RETAINED_PARTS) {
        expect(await due({ part, endedBeforeMs: borderMs })).toEqual([old]);
        expect(new Set(await due({ part }))).toEqual(new Set([old, recent.id, failed.id, expired.id]));
        expect((await due({ part }))[0]).toBe(old);
      }
    });

    test("ADV-M7: pages continue after the last call, also where many ended in the same millisecond", async () => {
      const calls = [];
      for (let index = 0; index < 7; index += 1) {
        calls.push(await ended());
        if (index % 3 === 2) clock.advance(1);
      }
      const query = { part: "recording", endedBeforeMs: addMs(clock.epochMs(), 1), limit: 2 } as const;
      const found: DueCall[] = [];
      for (let page = await stores.retention.listDue(accountId, query); page.length > 0; ) {
        found.push(...page);
        page = await stores.retention.listDue(accountId, { ...query, after: page.at(-1) });
      }
      expect(found.map(({ id }) => id).sort()).toEqual(calls.sort());
      expect(found.map(({ endedAtMs }) => endedAtMs)).toEqual(found.map(({ endedAtMs }) => endedAtMs).sort());
    });

    test("says which files of calls may be there, whatever account they are of; deleted and unknown calls are missing", async () => {
      const { id: live, tokenHash } = await createCall(stores, accountId);
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      const whole = await ended(await stores.accounts.ensure("second"));
      const [silent, wordless, removed] = [await ended(), await ended(), await ended()];
      await stores.retention.markRecordingDeleted(silent);
      await stores.retention.deleteTranscript(wordless);
      await stores.calls.remove(accountId, removed);
      const endedAtMs = clock.epochMs();
      const all = { endedAtMs, isExpired: false, keepsRecording: true, keepsJournal: true, isRedacted: false };
      expect(await stores.retention.listKept([live, whole, silent, wordless, removed, asCallId("call_none")])).toEqual(
        new Map<CallId, object>([
          [live, { ...all, endedAtMs: undefined }],
          [whole, all],
          [silent, { ...all, keepsRecording: false, keepsJournal: false }],
          [wordless, { ...all, keepsJournal: false }],
        ]),
      );
      expect(await stores.retention.listKept([])).toEqual(new Map());
      const known = [live, whole, silent, wordless, removed].map((id) => stores.calls.isRedacted(id));
      expect(await Promise.all(known)).toEqual([false, false, undefined, undefined, undefined]);
    });

    test("ADV-M7: a recording that was deleted is in no record, and is not due again", async () => {
      const id = await ended();
      clock.advance(5_000);
      await stores.retention.markRecordingDeleted(id);
      const call = await stores.calls.get(accountId, id);
      expect(call).toMatchObject({ status: "ended", recordingDeletedAtMs: clock.epochMs() });
      expect(call?.recording).toBeUndefined();
      expect(await due({ part: "recording" })).toEqual([]);
      expect(await due({ part: "transcript" })).toEqual([id]);
      expect(await stores.calls.transcript(accountId, id)).toEqual(TURNS);
    });

    test("ADV-M7: the record of a deleted transcript stays, and is not due again", async () => {
      const id = await ended(accountId, { parameters: { order: "A-17" } });
      expect(await stores.calls.get(accountId, id)).toMatchObject({ parameters: { order: "A-17" } });
      await stores.retention.deleteTranscript(id);
      expect(await stores.calls.transcript(accountId, id)).toEqual([]);
      const call = await stores.calls.get(accountId, id);
      expect(call).not.toHaveProperty("parameters");
      expect(call).toMatchObject({ durationMs: 5_000.5, recording: RECORDING, transcriptDeletedAtMs: clock.epochMs() });
      expect(await due({ part: "transcript" })).toEqual([]);
      expect(await due({ part: "recording" })).toEqual([id]);
    });

    test("ADV-M7: nothing is deleted of a live call", async () => {
      const { active, created } = await inEveryStatus(stores, accountId, clock);
      for (const { id } of [active, created]) {
        const before = await stores.calls.get(accountId, id);
        await stores.retention.markRecordingDeleted(id);
        await stores.retention.deleteTranscript(id);
        expect(await stores.calls.get(accountId, id)).toEqual(before);
      }
      expect(await stores.redemptions.redeem(created.tokenHash, redeemedBy("worker-1"))).toMatchObject({ spec: SPEC });
    });

    test("ADV-M7: compaction loses no data", async () => {
      const ids = [];
      for (let index = 0; index < 20; index += 1) ids.push(await ended());
      for (const id of ids.slice(1)) await stores.calls.remove(accountId, id);
      while (await stores.retention.compact());
      await stores.retention.purgeChangeLog();
      expect(await stores.calls.transcript(accountId, ids[0] ?? asCallId(""))).toEqual(TURNS);
    });
  });
}
