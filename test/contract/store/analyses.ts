import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import type { AccountId, CallId } from "../../../src/core/ids.ts";
import type { CallEnd, NewCall } from "../../../src/store/calls/call-store.ts";
import { ANALYSIS_JOB, ENDED_EVENT_JOB } from "../../../src/store/job-kinds.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { AGENT, createCall, endAt, SPEC, TURNS } from "../../support/calls/stored-calls.ts";
import { redeemedBy } from "../../support/tokens.ts";
import type { StoresUnderTest } from "./calls.ts";

const ANALYSIS = { schema: { type: "object" }, prompt: "Pay attention.", summary: true } as const;
const WANTED: CallSpec = { ...SPEC, analysis: ANALYSIS };
const NO_BILL = { usage: [], cost: undefined };
const used = (cost: number) => ({
  usage: [{ stage: "llm" as const, provider: "openai", inputTokens: 9, outputTokens: 1, cost }],
  cost: { currency: "USD", total: cost, complete: true },
});

/** What every store must do about analyses, and about what is not kept of a call that is over. */
export function analysisContract(name: string, make: () => StoresUnderTest): void {
  describe(`AnalysisStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;
    beforeEach(async () => {
      under = make();
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    async function ended(spec = WANTED, changes: Partial<CallEnd> = {}, more: Partial<NewCall> = {}): Promise<CallId> {
      const { id, tokenHash } = await createCall(stores, accountId, spec, more);
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      await stores.calls.finish(id, endAt(under.clock, { turns: TURNS, ...changes }));
      return id;
    }
    const kinds = async (): Promise<string[]> =>
      (await stores.jobs.list({ limit: 50 })).jobs.map(({ kind }) => kind).filter((kind) => kind.startsWith("call."));
    const analysisOf = async (id: CallId) => (await stores.calls.get(accountId, id))?.analysis;

    test("has the settings in the record and not in lists, and what a worker gets does not have them", async () => {
      const { id, tokenHash } = await createCall(stores, accountId, WANTED);
      expect((await stores.calls.get(accountId, id))?.settings.analysis).toEqual(ANALYSIS);
      const { calls } = await stores.calls.list(accountId, { limit: 1 });
      expect(calls[0]?.settings).not.toHaveProperty("analysis");
      const redeemed = await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      expect(redeemed?.spec).not.toHaveProperty("analysis");
    });

    test("makes it pending at the end, with the jobs that settle it and that announce the end without it", async () => {
      const id = await ended();
      expect(await analysisOf(id)).toEqual({ status: "pending" });
      expect((await kinds()).sort()).toEqual([ANALYSIS_JOB, ENDED_EVENT_JOB]);
      expect(await stores.analyses.pending(id)).toMatchObject({
        accountId,
        settings: ANALYSIS,
        model: SPEC.model,
        language: SPEC.language,
        endReason: "caller_hangup",
        turns: TURNS.map(({ text }) => ({ text })),
      });
    });

    test("has failed where nothing was said, without a job, and is absent where it is not wanted", async () => {
      expect(await analysisOf(await ended(WANTED, { turns: [] }))).toEqual({
        status: "failed",
        reason: "no_transcript",
      });
      const paused = TURNS.map((turn) => ({ ...turn, text: "" }));
      expect(await analysisOf(await ended(WANTED, { turns: paused }))).toEqual({
        status: "failed",
        reason: "no_transcript",
      });
      expect(await analysisOf(await ended(SPEC))).toBeUndefined();
      expect(await kinds()).toEqual([]);
    });

    test("is settled once, with the sum of all bills in the record", async () => {
      const id = await ended(WANTED, { usage: used(1).usage, cost: used(1).cost });
      await stores.analyses.attempted(id, used(2));
      const done = { status: "completed", summary: "A table for two.", data: { wants: true } } as const;
      expect(await stores.analyses.settle(id, done, used(4))).toBe(true);
      expect(await stores.analyses.settle(id, { status: "failed", reason: "spend_limit" }, used(8))).toBe(false);
      expect(await stores.analyses.pending(id)).toBeUndefined();
      const record = await stores.calls.get(accountId, id);
      expect(record?.analysis).toEqual(done);
      expect(record?.usage).toHaveLength(3);
      expect(record?.cost).toEqual({ currency: "USD", total: 7, complete: true });
    });

    test("announces the end once, with the result or without it", async () => {
      await stores.eventStreams.open(accountId);
      const announced = async (): Promise<number> => {
        await stores.eventStreams.number();
        const events = await stores.eventStreams.read(accountId, 0, 100);
        return events.filter(({ type }) => type === "call.ended").length;
      };
      const id = await ended();
      expect(await announced()).toBe(0);
      await stores.analyses.announceEnd(id);
      await stores.analyses.announceEnd(id);
      expect(await announced()).toBe(1);
      expect(await stores.analyses.settle(id, { status: "completed", summary: "x" }, NO_BILL)).toBe(true);
      expect(await announced()).toBe(1);
      await stores.analyses.settle(await ended(), { status: "completed", summary: "y" }, NO_BILL);
      expect(await announced()).toBe(2);
    });

    test("is gone with the transcript, and not pending then", async () => {
      const id = await ended();
      await stores.retention.deleteTranscript(id);
      expect(await analysisOf(id)).toBeUndefined();
      expect(await stores.analyses.pending(id)).toBeUndefined();
    });

    test("knows no call that is unknown", async () => {
      const unknown = "call_01980000-0000-7000-8000-00000000dead" as CallId;
      expect(await stores.analyses.pending(unknown)).toBeUndefined();
      expect(await stores.analyses.settle(unknown, { status: "completed" }, NO_BILL)).toBe(false);
      await stores.analyses.announceEnd(unknown);
    });

    test("keeps what was found and when the recording was paused", async () => {
      const redaction = { card_number: 2 };
      const recordingPauses = [{ startMs: 100, endMs: 900 }];
      const id = await ended(SPEC, { redaction, recordingPauses });
      expect(await stores.calls.get(accountId, id)).toMatchObject({ redaction, recordingPauses });
    });

    test("knows by its id alone whether a call is to be redacted, before and after its end", async () => {
      const spec: CallSpec = { ...SPEC, redact: ["variables"], redactedValues: ["Maria Canary"] };
      const { id } = await createCall(stores, accountId, spec);
      expect(await stores.calls.isRedacted(id)).toBe(true);
      expect(await stores.calls.isRedacted(await ended(spec))).toBe(true);
      expect(await stores.calls.isRedacted(await ended(SPEC))).toBe(false);
      expect(await stores.calls.isRedacted("call_01980000-0000-7000-8000-00000000dead" as CallId)).toBeUndefined();
    });

    test("forgets redacted values of variables, and the prompt that has them, with the end of the call", async () => {
      const agent = await stores.agents.create(accountId, AGENT);
      const spec: CallSpec = { ...SPEC, redact: ["variables"], redactedValues: ["Maria Canary"] };
      const more = { agent: { id: agent.id, version: 1, variables: { customer: "Maria Canary" } } };
      const { id: cancelled } = await createCall(stores, accountId, spec, more);
      expect((await stores.calls.get(accountId, cancelled))?.variables).toEqual({ customer: "Maria Canary" });
      await stores.calls.cancel(accountId, cancelled);
      for (const id of [cancelled, await ended(spec, {}, more)]) {
        const record = await stores.calls.get(accountId, id);
        expect(JSON.stringify(record)).not.toContain("Canary");
        expect(record?.settings.redact).toEqual(["variables"]);
      }
    });
  });
}
