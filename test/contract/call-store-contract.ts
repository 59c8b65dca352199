import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallSpec, TranscriptTurn } from "../../src/core/call-spec.ts";
import type { CallEnd } from "../../src/store/call-store.ts";
import { hashSecret, mintToken } from "../../src/store/secrets.ts";
import type { Stores } from "../../src/store/stores.ts";
import type { ManualClock } from "../support/manual-clock.ts";

export interface StoresUnderTest {
  /** Opens the stores over the same data each time, as a restarted process would. */
  open(): Promise<Stores>;
  clock: ManualClock;
}

export const SPEC: CallSpec = {
  systemPrompt: "You book tables at Lario’s.",
  voiceId: "espeak/gmw/en-US",
  language: "en-US",
  model: "model_b",
  temperature: 0,
  greeting: "Lario’s, good evening.",
  firstSpeaker: "agent",
  interruptible: false,
  maxDurationMs: 3_000_000,
  inactivityTimeoutMs: 30_000,
  inactivityAction: "prompt",
  recordingEnabled: true,
  connectionType: "carrier_a",
  tools: ["hang_up"],
  metadata: { order: 17, note: "né \u0000 \u2028 👋", nested: { __list: [1, null, "x"] } },
};

export const TURNS: readonly TranscriptTurn[] = [
  { role: "agent", text: "Lario’s, good evening.", startMs: 40, endMs: 1_900.5, interrupted: false },
  { role: "user", text: "a table for two", startMs: 2_400, endMs: 3_800, interrupted: false },
  {
    role: "agent",
    text: "For when",
    startMs: 4_400,
    endMs: 4_900,
    interrupted: true,
    latency: { endOfTurnMs: 500, firstTextMs: 510, firstAudioMs: 560.25, firstFrameMs: 580 },
  },
];

const TTL_MS = 60_000;
const RECORDING = { channels: 2, sampleRateHz: 8_000, durationMs: 5_000, complete: true };

/** What every CallStore must do. */
export function callStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`CallStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let clock: ManualClock;
    let accountId: string;

    beforeEach(async () => {
      under = make();
      clock = under.clock;
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    const restart = async () => {
      await stores.close();
      stores = await under.open();
    };

    const create = async (spec: CallSpec = SPEC) => {
      const token = mintToken();
      const record = await stores.calls.create({ accountId, spec, tokenHash: hashSecret(token), tokenTtlMs: TTL_MS });
      return { id: record.id, record, tokenHash: hashSecret(token) };
    };

    const end = (changes: Partial<CallEnd> = {}): CallEnd => ({
      status: "ended",
      endReason: "caller_hangup",
      endedAtMs: clock.epochMs(),
      durationMs: 5_000.5,
      turns: TURNS,
      ...changes,
    });

    test("a new call is `created`, and its record has everything but its words", async () => {
      const { id, record } = await create();
      const { systemPrompt, greeting, ...settings } = SPEC;
      expect(record).toEqual({ id, accountId, status: "created", settings, createdAtMs: clock.epochMs() });
      expect(await stores.calls.get(accountId, id)).toEqual(record);
      expect(JSON.stringify(record)).not.toContain(systemPrompt);
      expect(JSON.stringify(record)).not.toContain(greeting);
      expect(id).toMatch(/^call_[0-9a-f-]{36}$/);
    });

    test("a redemption gives back the whole specification and makes the call active", async () => {
      const { id, tokenHash } = await create();
      clock.advance(1_500);
      expect(await stores.calls.redeem(tokenHash, "worker-1")).toEqual({ callId: id, accountId, spec: SPEC });
      expect(await stores.calls.get(accountId, id)).toMatchObject({ status: "active", startedAtMs: clock.epochMs() });
    });

    test("unknown, used and expired tokens are refused alike, and cost the call nothing", async () => {
      const used = await create();
      await stores.calls.redeem(used.tokenHash, "worker-1");
      const late = await create();
      clock.advance(TTL_MS);
      const live = await create();
      for (const tokenHash of [used.tokenHash, late.tokenHash, hashSecret("x"), "", `${live.tokenHash} `, "'; --"]) {
        expect(await stores.calls.redeem(tokenHash, "worker-1")).toBeUndefined();
      }
      expect((await stores.calls.get(accountId, live.id))?.status).toBe("created");
    });

    test("T4: a token is good until the last millisecond of its time, and no longer", async () => {
      const [early, exact, late] = [await create(), await create(), await create()];
      clock.advance(TTL_MS - 1);
      expect(await stores.calls.redeem(early.tokenHash, "worker-1")).toBeDefined();
      clock.advance(1);
      expect(await stores.calls.redeem(exact.tokenHash, "worker-1")).toBeUndefined();
      clock.advance(1);
      expect(await stores.calls.redeem(late.tokenHash, "worker-1")).toBeUndefined();
    });

    test("T2: of 100 redemptions of one token at once exactly one wins, 200 times", async () => {
      for (let round = 0; round < 200; round++) {
        const { id, tokenHash } = await create();
        const answers = await Promise.all(
          Array.from({ length: 100 }, (_, index) => stores.calls.redeem(tokenHash, `worker-${index}`)),
        );
        expect(answers.filter((answer) => answer !== undefined)).toEqual([{ callId: id, accountId, spec: SPEC }]);
      }
    });

    test("redemptions and the expiry of the same calls exclude each other", async () => {
      const calls = await Promise.all(Array.from({ length: 20 }, () => create()));
      clock.advance(TTL_MS - 1);
      const redeeming = calls.map((call) => stores.calls.redeem(call.tokenHash, "worker-1"));
      clock.advance(1);
      const [expired, ...redeemed] = await Promise.all([stores.calls.expire(), ...redeeming]);
      const active = redeemed.flatMap((call) => (call === undefined ? [] : [call.callId]));
      expect([...active, ...expired].sort()).toEqual(calls.map((call) => call.id).sort());
    });

    test("calls that nobody redeemed in time become `expired`, once; others stay as they are", async () => {
      const late = await create();
      const active = await create();
      await stores.calls.redeem(active.tokenHash, "worker-1");
      clock.advance(TTL_MS - 1);
      const fresh = await create();
      expect(await stores.calls.expire()).toEqual([]);
      clock.advance(1);
      const endedAtMs = clock.epochMs();
      const record = { ...late.record, status: "expired", endReason: "token_expired", endedAtMs };
      expect(await stores.calls.get(accountId, late.id)).toEqual(record);
      clock.advance(TTL_MS - 2);
      expect(await stores.calls.get(accountId, late.id)).toEqual(record);
      expect(await stores.calls.expire()).toEqual([late.id]);
      expect(await stores.calls.expire()).toEqual([]);
      expect(await stores.calls.get(accountId, late.id)).toEqual(record);
      expect(await stores.calls.redeem(late.tokenHash, "worker-1")).toBeUndefined();
      expect(await stores.calls.get(accountId, late.id)).toEqual(record);
      expect((await stores.calls.get(accountId, active.id))?.status).toBe("active");
      expect((await stores.calls.get(accountId, fresh.id))?.status).toBe("created");
    });

    test("an ended call has its transcript, recording and counters, as they were told", async () => {
      const { id, tokenHash, record } = await create();
      await stores.calls.redeem(tokenHash, "worker-1");
      const startedAtMs = clock.epochMs();
      expect(await stores.calls.transcript(accountId, id)).toEqual([]);
      clock.advance(5_000);
      expect(await stores.calls.finish(id, end({ recording: RECORDING, counters: { malformed: 2 } }))).toBe(true);
      expect(await stores.calls.get(accountId, id)).toEqual({
        ...record,
        status: "ended",
        startedAtMs,
        endedAtMs: clock.epochMs(),
        durationMs: 5_000.5,
        endReason: "caller_hangup",
        recording: RECORDING,
        counters: { malformed: 2 },
      });
      expect(await stores.calls.transcript(accountId, id)).toEqual(TURNS);
    });

    test("C4: only the first end counts", async () => {
      const { id, tokenHash } = await create();
      await stores.calls.redeem(tokenHash, "worker-1");
      const reasons = ["caller_hangup", "max_duration", "worker_lost"] as const;
      const counted = await Promise.all(reasons.map((endReason) => stores.calls.finish(id, end({ endReason }))));
      expect(counted).toEqual([true, false, false]);
      expect((await stores.calls.get(accountId, id))?.endReason).toBe("caller_hangup");
      expect(await stores.calls.transcript(accountId, id)).toEqual(TURNS);
    });

    test("a call that was never redeemed, and one that is not known, cannot be finished", async () => {
      const { id } = await create();
      expect(await stores.calls.finish(id, end())).toBe(false);
      expect(await stores.calls.finish("call_unknown", end())).toBe(false);
      expect((await stores.calls.get(accountId, id))?.status).toBe("created");
    });

    test("C18: a call without a single turn has a record, and one of 3,000 turns a whole transcript", async () => {
      const long = Array.from({ length: 3_000 }, (_, index) => ({ ...(TURNS[1] as TranscriptTurn), startMs: index }));
      for (const turns of [[], long]) {
        const { id, tokenHash } = await create();
        await stores.calls.redeem(tokenHash, "worker-1");
        await stores.calls.finish(id, end({ turns, status: "failed", endReason: "provider_error" }));
        expect((await stores.calls.get(accountId, id))?.status).toBe("failed");
        expect(await stores.calls.transcript(accountId, id)).toEqual(turns);
      }
    });

    test("lists the active calls of one worker, or of all", async () => {
      const [first, second, third] = [
        await create(),
        await create({ ...SPEC, recordingEnabled: false }),
        await create(),
      ];
      await stores.calls.redeem(first.tokenHash, "worker-1");
      await stores.calls.redeem(second.tokenHash, "worker-2");
      await stores.calls.redeem(third.tokenHash, "worker-1");
      await stores.calls.finish(third.id, end());
      await create();
      const startedAtMs = clock.epochMs();
      const onFirst = { id: first.id, accountId, workerId: "worker-1", startedAtMs, recordingEnabled: true };
      const onSecond = { id: second.id, accountId, workerId: "worker-2", startedAtMs, recordingEnabled: false };
      expect(await stores.calls.listActive("worker-1")).toEqual([onFirst]);
      expect(await stores.calls.listActive()).toEqual([onFirst, onSecond]);
      expect(await stores.calls.listActive("worker-3")).toEqual([]);
    });

    test("A2: another account sees neither a call nor its transcript", async () => {
      const { id, tokenHash } = await create();
      await stores.calls.redeem(tokenHash, "worker-1");
      await stores.calls.finish(id, end());
      const stranger = await stores.accounts.ensure("second");
      expect(await stores.calls.get(stranger, id)).toBeUndefined();
      expect(await stores.calls.transcript(stranger, id)).toBeUndefined();
      expect(await stores.calls.transcript(accountId, "call_unknown")).toBeUndefined();
    });

    test("everything survives a restart, the single use of a token included", async () => {
      const [waiting, used] = [await create(), await create()];
      await stores.calls.redeem(used.tokenHash, "worker-1");
      await restart();
      expect(await stores.calls.redeem(used.tokenHash, "worker-2")).toBeUndefined();
      expect(await stores.calls.redeem(waiting.tokenHash, "worker-2")).toEqual({
        callId: waiting.id,
        accountId,
        spec: SPEC,
      });
      expect((await stores.calls.listActive()).map((call) => call.workerId)).toEqual(["worker-2", "worker-1"]);
      await stores.calls.finish(used.id, end());
      await restart();
      expect(await stores.calls.transcript(accountId, used.id)).toEqual(TURNS);
    });

    test("a call that is not recorded keeps the times of its turns, and not their words", async () => {
      const spec = { ...SPEC, recordingEnabled: false };
      const { id, tokenHash } = await create(spec);
      expect((await stores.calls.redeem(tokenHash, "worker-1"))?.spec).toEqual(spec);
      await stores.calls.finish(id, end());
      expect(await stores.calls.transcript(accountId, id)).toEqual(TURNS.map((turn) => ({ ...turn, text: "" })));
    });

    test("a call that is not recorded cannot be redeemed after a restart: its words were only in memory", async () => {
      const { id, tokenHash } = await create({ ...SPEC, recordingEnabled: false });
      await restart();
      expect(await stores.calls.redeem(tokenHash, "worker-1")).toBeUndefined();
      const record = await stores.calls.get(accountId, id);
      expect(record).toMatchObject({ status: "expired", endReason: "token_expired" });
      expect(record).not.toHaveProperty("startedAtMs");
    });
  });
}
