import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readPrices } from "../../../src/core/billing/prices.ts";
import type { EndReason } from "../../../src/core/calls/spec.ts";
import { TrunklineError } from "../../../src/core/errors.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { CallFinalizer } from "../../../src/record/finalization/finalizer.ts";
import { type JournalProcessor, localJournalProcessor } from "../../../src/record/finalization/journal-processor.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import { recordingPath } from "../../../src/record/recording/render.ts";
import type { CallStore } from "../../../src/store/call-store.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { openStores } from "../../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { SPEC } from "../../contract/store/calls.ts";
import { START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { allBytes, temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf, mintToken, redeemedBy } from "../../support/tokens.ts";

interface Kept {
  directory: string;
  stores: Stores;
  clock: ManualClock;
  keeper: CallFinalizer;
  accountId: string;
  logged: string[];
  kept: string[];
}

const makeResampler = await loadResampler();

let service: Kept;
beforeEach(async () => {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const stores = await openStores(directory, clock, { ageClock: ageClockOf(clock) });
  const { log, lines: logged } = memoryLog();
  const kept: string[] = [];
  const onFinalized = (callId: string): void => void kept.push(callId);
  const keeper = new CallFinalizer({
    calls: stores.calls,
    dataDir: directory,
    journals: localJournalProcessor(directory, makeResampler),
    clock,
    log,
    onFinalized,
  });
  const accountId = await stores.accounts.ensure("first");
  service = { directory, stores, clock, keeper, accountId, logged, kept };
});
afterEach(async () => {
  await service.keeper.idle();
  await service.stores.close();
});

/** A call that a worker holds, and the journal of one that has ended. */
async function active(): Promise<{ callId: string; journal: string; recording: string }> {
  const { stores, accountId, directory } = service;
  const tokenHash = hashSecret(mintToken());
  await stores.calls.create({ accountId, spec: SPEC, tokenHash, tokenTtlMs: 60_000 });
  const call = await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  if (call === undefined) throw new Error("not redeemed");
  const { callId } = call;
  const journal = journalPath(directory, callId);
  const turn = { role: "user" as const, text: "canary", startMs: 1, endMs: 2, interrupted: false };
  new JournalFile({ ...START, callId, accountId }, journal)
    .frameIn(20, 0, new Uint8Array(160))
    .add({ kind: "command", timeMs: 30, command: { kind: "turn", turn } })
    .end(50);
  const recording = recordingPath(directory, callId);
  return { callId, journal, recording };
}

/** Meanwhile the journal can be opened and not be read, as on a disk that fails. */
async function withheld(journal: string, work: () => Promise<void>): Promise<void> {
  const aside = `${journal}.aside`;
  renameSync(journal, aside);
  mkdirSync(journal);
  await work();
  rmdirSync(journal);
  renameSync(aside, journal);
}

describe("keeping a call", () => {
  test("makes its record, its transcript and its recording", async () => {
    const { stores, keeper, accountId, kept } = service;
    const { callId, recording } = await active();
    keeper.finalize(callId);
    await keeper.idle();
    expect(await stores.calls.get(accountId, callId)).toMatchObject({ status: "ended", endReason: "caller_hangup" });
    expect(await stores.calls.transcript(accountId, callId)).toMatchObject([{ text: "canary" }]);
    expect(existsSync(recording)).toBe(true);
    expect(kept).toEqual([callId]);
  });

  test("F14-2, F14-4: keeps what is approximate in it, and the carrier's id for it, also of a journal that breaks off", async () => {
    const { stores, keeper, accountId, logged } = service;
    for (const breaksOff of [false, true]) {
      const { callId, journal } = await active();
      rmSync(journal);
      const turn = {
        role: "agent" as const,
        text: "We",
        startMs: 1,
        endMs: 2,
        interrupted: true,
        approximate: true as const,
      };
      const file = new JournalFile({ ...START, callId, accountId }, journal)
        .add({
          kind: "event",
          timeMs: 5,
          event: { kind: "leg-started", codec: "mulaw", carrierCallId: `CA\n${callId}` },
        })
        .add({ kind: "command", timeMs: 30, command: { kind: "turn", turn } });
      if (!breaksOff) file.end(50);
      keeper.finalize(callId);
      await keeper.idle();
      expect(await stores.calls.get(accountId, callId)).toMatchObject({ carrierCallId: `CA\n${callId}` });
      expect(await stores.calls.transcript(accountId, callId)).toEqual([turn]);
      const recorded = logged.map((line) => JSON.parse(line)).find((line) => line.callId === callId);
      expect(recorded).toMatchObject({ msg: "call record stored", carrierCallId: `CA\n${callId}` });
    }
    expect(logged.join("").split("\n")).toHaveLength(logged.length + 1);
  });

  test("sums up how fast it was answered, what its providers did, and what that costs", async () => {
    const { directory, stores, clock, accountId } = service;
    const { callId, journal } = await active();
    const heard = { kind: "usage", stage: "stt", provider: "deepgram", usage: { audioSeconds: 6 } } as const;
    const spoken = { kind: "usage", stage: "tts", provider: "espeak", usage: { characters: 40 } } as const;
    const latency = { endOfTurnMs: 500, firstAudioMs: 700, firstFrameMs: 720 };
    const turn = { role: "agent", text: "Yes.", startMs: 30, endMs: 40, interrupted: false, latency } as const;
    new JournalFile({ ...START, callId, accountId }, journal)
      .add({ kind: "event", timeMs: 20, event: heard })
      .add({ kind: "event", timeMs: 25, event: spoken })
      .add({ kind: "command", timeMs: 40, command: { kind: "turn", turn } })
      .end(50)
      .add({ kind: "event", timeMs: 50, event: heard });
    const problems: string[] = [];
    const prices = readPrices('{"currency": "EUR", "deepgram": {"audioMinute": 0.5}}', ["deepgram"], problems);
    const { log } = memoryLog();
    const options = {
      calls: stores.calls,
      dataDir: directory,
      journals: localJournalProcessor(directory, makeResampler),
      clock,
      log,
      onFinalized: () => {},
      prices,
    };
    const keeper = new CallFinalizer(options);
    keeper.finalize(callId);
    await keeper.idle();
    expect(await stores.calls.get(accountId, callId)).toMatchObject({
      endReason: "caller_hangup",
      latency: {
        endOfTurn: { count: 1, p50Ms: 500, p90Ms: 500, p95Ms: 500, p99Ms: 500 },
        firstFrame: { p50Ms: 20 },
        whole: { p99Ms: 720 },
      },
      usage: [
        { stage: "stt", provider: "deepgram", audioSeconds: 12, cost: 0.1 },
        { stage: "tts", provider: "espeak", characters: 40, cost: null },
      ],
      cost: { currency: "EUR", total: 0.1, complete: false },
    });
  });

  test("that was not priced has usage without a cost", async () => {
    const { stores, keeper, accountId } = service;
    const { callId } = await active();
    keeper.finalize(callId);
    await keeper.idle();
    const record = await stores.calls.get(accountId, callId);
    expect(record).toMatchObject({ latency: {}, usage: [] });
    expect(record?.cost).toBeUndefined();
  });

  test.each<[EndReason, frames: number, status: string]>([
    ["provider_error", 0, "failed"],
    ["drain_timeout", 0, "failed"],
    ["provider_error", 1, "ended"],
    ["drain_timeout", 1, "ended"],
    ["caller_hangup", 0, "ended"],
    ["protocol_error", 0, "ended"],
  ])("that ended by %s with %i frames of audio makes it %s", async (reason, frames, status) => {
    const { stores, keeper, accountId } = service;
    const { callId, journal } = await active();
    const file = new JournalFile({ ...START, callId, accountId }, journal);
    if (frames > 0) file.frameOut(20, new Uint8Array(160));
    file.end(50, reason);
    keeper.finalize(callId);
    await keeper.idle();
    expect(await stores.calls.get(accountId, callId)).toMatchObject({ status, endReason: reason });
  });

  test("again, when it is over, is acknowledged and renders nothing", async () => {
    const { keeper, kept, logged } = service;
    const { callId, recording } = await active();
    keeper.finalize(callId);
    await keeper.idle();
    rmSync(recording);
    keeper.finalize(callId);
    await keeper.idle();
    expect(existsSync(recording)).toBe(false);
    expect(kept).toEqual([callId, callId]);
    expect(logged.filter((line) => line.includes("call record stored"))).toHaveLength(1);
  });

  test("without a journal ends it as lost; once it is over nobody is told that there was none", async () => {
    const { stores, keeper, accountId, logged } = service;
    const { callId, journal } = await active();
    rmSync(journal);
    for (let time = 0; time < 2; time += 1) {
      keeper.finalize(callId);
      await keeper.idle();
    }
    expect(await stores.calls.get(accountId, callId)).toMatchObject({ status: "failed", endReason: "worker_lost" });
    expect(logged.filter((line) => line.includes("ended call has no journal"))).toHaveLength(1);
  });

  test("whose journal the disk does not give is tried again, and then made of it", async () => {
    const { stores, clock, keeper, accountId, kept, logged } = service;
    const { callId, journal } = await active();
    await withheld(journal, async () => {
      for (let second = 0; second < 10; second += 1) {
        keeper.finalize(callId);
        await keeper.idle();
        await clock.play(1_000);
      }
      await keeper.idle();
      expect(await stores.calls.get(accountId, callId)).toMatchObject({ status: "active" });
      expect(kept).toEqual([]);
    });
    await clock.play(1_000);
    await keeper.idle();
    expect(await stores.calls.get(accountId, callId)).toMatchObject({ status: "ended", endReason: "caller_hangup" });
    expect(await stores.calls.transcript(accountId, callId)).toMatchObject([{ text: "canary" }]);
    expect(kept).toEqual([callId]);
    expect(logged.some((line) => line.includes("no journal"))).toBe(false);
  });

  test("whose journal the disk never gives ends as lost in the end", async () => {
    const { stores, clock, keeper, accountId, kept, logged } = service;
    const { callId, journal } = await active();
    await withheld(journal, async () => {
      keeper.finalize(callId);
      for (let second = 0; second < 60; second += 1) {
        await keeper.idle();
        await clock.play(1_000);
      }
      await keeper.idle();
    });
    expect(await stores.calls.get(accountId, callId)).toMatchObject({ status: "failed", endReason: "worker_lost" });
    expect(kept).toEqual([callId]);
    expect(logged.filter((line) => line.includes("ended call has no journal"))).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test("is asked of the store again until it answers, and the journal is not taken for lost meanwhile", async () => {
    const { directory, stores, clock, accountId, kept } = service;
    const { callId } = await active();
    let failures = 2;
    const { calls } = stores;
    const failing: Pick<CallStore, "get" | "finish"> = {
      async get(...asked) {
        failures -= 1;
        if (failures >= 0) throw new Error("the store is away");
        return await calls.get(...asked);
      },
      finish: (...end) => calls.finish(...end),
    };
    const { log } = memoryLog();
    const onFinalized = (id: string): void => void kept.push(id);
    const keeper = new CallFinalizer({
      calls: failing,
      dataDir: directory,
      journals: localJournalProcessor(directory, makeResampler),
      clock,
      log,
      onFinalized,
    });
    keeper.finalize(callId);
    for (let second = 0; second < 3; second += 1) {
      await keeper.idle();
      await clock.play(1_000);
    }
    await keeper.idle();
    expect(kept).toEqual([callId]);
    expect(await stores.calls.get(accountId, callId)).toMatchObject({ status: "ended", endReason: "caller_hangup" });
  });
});

test("ADV-M9: a call whose journal kills the renderer has its record all the same, without a recording, and the record says so", async () => {
  const { directory, stores, clock, accountId, kept } = service;
  const { callId } = await active();
  let failed = 0;
  const journals: JournalProcessor = {
    ...localJournalProcessor(directory, makeResampler),
    render: async () => {
      throw new TrunklineError("renderer_died", "bug", "the renderer died 5 times at this journal");
    },
  };
  const { log, lines } = memoryLog();
  const onKept = (id: string): void => void kept.push(id);
  const onRecordingFailed = (): void => {
    failed += 1;
  };
  const options = {
    calls: stores.calls,
    dataDir: directory,
    journals,
    clock,
    log,
    onFinalized: onKept,
    onRecordingFailed,
  };
  const keeper = new CallFinalizer(options);
  keeper.finalize(callId);
  await keeper.idle();
  const record = await stores.calls.get(accountId, callId);
  expect(record).toMatchObject({ status: "ended", endReason: "caller_hangup", counters: { recordingFailures: 1 } });
  expect(record).not.toHaveProperty("recording");
  expect([kept, failed]).toEqual([[callId], 1]);
  expect(lines.join("")).toContain("renderer_died");
});

describe("keeping many calls", () => {
  test("does not wait for one that hangs at the store, and has no more than eight in work", async () => {
    const { directory, stores, clock, kept } = service;
    const { calls } = stores;
    const asked: string[] = [];
    const hanging: (() => void)[] = [];
    const slow: Pick<CallStore, "get" | "finish"> = {
      async get(accountId, callId) {
        asked.push(callId);
        if (asked.length <= 8) await new Promise<void>((resolve) => hanging.push(resolve));
        return await calls.get(accountId, callId);
      },
      finish: (...end) => calls.finish(...end),
    };
    const { log } = memoryLog();
    const onFinalized = (id: string): void => void kept.push(id);
    const keeper = new CallFinalizer({
      calls: slow,
      dataDir: directory,
      journals: localJournalProcessor(directory, makeResampler),
      clock,
      log,
      onFinalized,
    });
    const callIds: string[] = [];
    for (let call = 0; call < 10; call += 1) callIds.push((await active()).callId);
    for (const callId of callIds) keeper.finalize(callId);
    await expect.poll(() => hanging.length).toBe(8);
    expect(kept).toEqual([]);
    const [first, ...others] = hanging;
    first?.();
    await expect.poll(() => kept.length).toBe(3);
    expect(new Set([...asked.slice(0, 8), ...kept])).toEqual(new Set(callIds));
    for (const release of others) release();
    await keeper.idle();
    expect(new Set(kept)).toEqual(new Set(callIds));
  });
});

describe("removing a call's files", () => {
  test("leaves nothing of them, and other calls' alone", async () => {
    const { directory, keeper } = service;
    const [gone, stays] = [await active(), await active()];
    for (const { callId } of [gone, stays]) keeper.finalize(callId);
    await keeper.idle();
    await keeper.deleteFiles(gone.callId);
    for (const path of [gone.journal, gone.recording]) expect(existsSync(path)).toBe(false);
    for (const path of [stays.journal, stays.recording]) expect(existsSync(path)).toBe(true);
    expect(readdirSync(dirname(gone.recording))).toHaveLength(1);
    expect(allBytes(join(directory, "journals")).match(/canary/g)).toHaveLength(1);
  });

  test("is no error where there are none, nor when asked twice", async () => {
    const { keeper } = service;
    const { callId } = await active();
    await keeper.deleteFiles(callId);
    await keeper.deleteFiles(callId);
    await keeper.deleteFiles("call_01990000-0000-7000-8000-000000000000");
  });

  test("waits for the recording that is being rendered, and for those before it", async () => {
    const { keeper, stores, accountId } = service;
    const calls = [await active(), await active(), await active()];
    for (const { callId } of calls) keeper.finalize(callId);
    const [first, , last] = calls;
    await Promise.all([keeper.deleteFiles(last?.callId ?? ""), keeper.deleteFiles(first?.callId ?? "")]);
    for (const { journal, recording } of [first, last].filter((call) => call !== undefined)) {
      expect([existsSync(journal), existsSync(recording)]).toEqual([false, false]);
    }
    // It had its record before.
    expect(await stores.calls.get(accountId, last?.callId ?? "")).toMatchObject({ status: "ended" });
    expect(existsSync(calls[1]?.recording ?? "")).toBe(true);
  });

  test("is final: whoever asks late to keep the call brings no file back", async () => {
    const { directory, keeper, stores, accountId, kept, logged } = service;
    const { callId } = await active();
    keeper.finalize(callId);
    await keeper.idle();
    await keeper.deleteFiles(callId);
    keeper.finalize(callId);
    await keeper.idle();
    await stores.calls.remove(accountId, callId);
    keeper.finalize(callId);
    await keeper.idle();
    expect(readdirSync(join(directory, "recordings"))).toEqual([]);
    expect(readdirSync(join(directory, "journals"))).toEqual([]);
    expect(kept).toEqual([callId, callId, callId]);
    expect(logged.some((line) => line.includes("no journal"))).toBe(false);
  });

  test("of a call whose row is gone but whose journal came back by hand, nothing is rendered", async () => {
    const { keeper, stores, accountId } = service;
    const { callId, journal, recording } = await active();
    keeper.finalize(callId);
    await keeper.idle();
    const bytes = readFileSync(journal);
    await keeper.deleteFiles(callId);
    await stores.calls.remove(accountId, callId);
    writeFileSync(journal, bytes);
    keeper.finalize(callId);
    await keeper.idle();
    expect(existsSync(recording)).toBe(false);
  });

  test("that the disk refuses is told, names no path, and can be asked again; others go on", async () => {
    const { directory, keeper } = service;
    const [stuck, other] = [await active(), await active()];
    mkdirSync(join(stuck.recording, "in-the-way"), { recursive: true });
    const refused = keeper.deleteFiles(stuck.callId);
    const [error] = await Promise.all([refused.catch((thrown: unknown) => thrown), keeper.deleteFiles(other.callId)]);
    expect(error).toMatchObject({ code: "unavailable", fault: "service" });
    expect(String(error)).not.toContain(directory);
    expect(existsSync(other.journal)).toBe(false);
    rmSync(stuck.recording, { recursive: true });
    await keeper.deleteFiles(stuck.callId);
    expect(existsSync(stuck.journal)).toBe(false);
  });
});
