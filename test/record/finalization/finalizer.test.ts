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
import { readPrices } from "../../../src/config/speech/prices.ts";
import type { EndReason } from "../../../src/core/calls/reasons.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { type AccountId, asCallId, asCarrierCallId, type CallId } from "../../../src/core/ids.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { CallFinalizer, type CallFinalizerOptions } from "../../../src/record/finalization/finalizer.ts";
import { localJournalProcessor } from "../../../src/record/finalization/journal-processor.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import { recordingPath } from "../../../src/record/recording/render.ts";
import { RENDER_JOB } from "../../../src/store/job-kinds.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { SPEC } from "../../support/calls/stored-calls.ts";
import { START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { allBytes, temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf, mintToken, redeemedBy } from "../../support/tokens.ts";

interface Service {
  directory: string;
  stores: Stores;
  clock: ManualClock;
  finalizer: CallFinalizer;
  accountId: AccountId;
  logged: string[];
  finalizedIds: string[];
}

const makeResampler = await loadResampler();

let service: Service;
beforeEach(async () => {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  const { log, lines: logged } = memoryLog();
  const finalizedIds: string[] = [];
  const onFinalized = (callId: string): void => void finalizedIds.push(callId);
  const finalizer = new CallFinalizer({
    calls: stores.calls,
    dataDir: directory,
    journals: localJournalProcessor(directory, makeResampler),
    clock,
    log,
    onFinalized,
  });
  const accountId = await stores.accounts.ensure("first");
  service = { directory, stores, clock, finalizer, accountId, logged, finalizedIds };
});

/** A second finalizer of the service, with other calls. */
function finalizerOf(calls: CallFinalizerOptions["calls"], changes: Partial<CallFinalizerOptions> = {}): CallFinalizer {
  const { directory, clock, finalizedIds } = service;
  return new CallFinalizer({
    calls,
    dataDir: directory,
    journals: localJournalProcessor(directory, makeResampler),
    clock,
    log: memoryLog().log,
    onFinalized: (callId) => void finalizedIds.push(callId),
    ...changes,
  });
}

afterEach(async () => {
  await service.finalizer.idle();
  await service.stores.close();
});

/** A call that a worker carries, and the journal of one that has ended. */
async function active(spec = SPEC): Promise<{ callId: CallId; journal: string; recording: string }> {
  const { stores, accountId, directory } = service;
  const tokenHash = hashSecret(mintToken());
  await stores.calls.create({ accountId, spec, tokenHash, tokenTtlMs: 60_000 });
  const call = await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  if (call === undefined) throw new Error("not redeemed");
  const { callId } = call;
  const journal = journalPath(directory, callId);
  const turn = { role: "user" as const, text: "canary", startMs: callMs(1), endMs: callMs(2), interrupted: false };
  new JournalFile({ ...START, callId, accountId }, journal)
    .frameIn(20, 0, new Uint8Array(160))
    .add({ kind: "command", timeMs: callMs(30), command: { kind: "turn", turn } })
    .end(50);
  const recording = recordingPath(directory, callId);
  return { callId, journal, recording };
}

/** Meanwhile the journal can be opened but not read, as on a failing disk. */
async function withheld(journal: string, work: () => Promise<void>): Promise<void> {
  const aside = `${journal}.aside`;
  renameSync(journal, aside);
  mkdirSync(journal);
  await work();
  rmdirSync(journal);
  renameSync(aside, journal);
}

describe("finalizing a call", () => {
  test("makes its record and its transcript, and has its recording rendered by a job", async () => {
    const { stores, finalizer, accountId, finalizedIds } = service;
    const { callId, recording } = await active();
    finalizer.finalize(callId);
    await finalizer.idle();
    expect(await stores.calls.get(accountId, callId)).toMatchObject({ status: "ended", endReason: "caller_hangup" });
    expect(await stores.calls.transcript(accountId, callId)).toMatchObject([{ text: "canary" }]);
    expect(existsSync(recording)).toBe(false);
    expect((await stores.jobs.list({ limit: 5 })).jobs).toMatchObject([{ kind: RENDER_JOB, payload: { callId } }]);
    expect(finalizedIds).toEqual([callId]);
  });

  test("F14-2, F14-4: keeps approximate turns, the carrier's id and its parameters, also of a truncated journal", async () => {
    const { stores, finalizer, accountId, logged } = service;
    for (const breaksOff of [false, true]) {
      const { callId, journal } = await active();
      rmSync(journal);
      const turn = {
        role: "agent" as const,
        text: "We",
        startMs: callMs(1),
        endMs: callMs(2),
        interrupted: true,
        approximate: true as const,
      };
      const file = new JournalFile({ ...START, callId, accountId }, journal)
        .add({
          kind: "event",
          timeMs: callMs(5),
          event: {
            kind: "leg-started",
            codec: "mulaw",
            carrierCallId: asCarrierCallId(`CA\n${callId}`),
            parameters: { order: "canary-parameter" },
          },
        })
        .add({ kind: "command", timeMs: callMs(30), command: { kind: "turn", turn } });
      if (!breaksOff) file.end(50);
      finalizer.finalize(callId);
      await finalizer.idle();
      expect(await stores.calls.get(accountId, callId)).toMatchObject({
        carrierCallId: `CA\n${callId}`,
        parameters: { order: "canary-parameter" },
      });
      expect(await stores.calls.transcript(accountId, callId)).toEqual([turn]);
      const recorded = logged.map((line) => JSON.parse(line)).find((line) => line.callId === callId);
      expect(recorded).toMatchObject({ msg: "call record stored", carrierCallId: `CA\n${callId}` });
    }
    expect(logged.join("").split("\n")).toHaveLength(logged.length + 1);
    expect(logged.join("")).not.toContain("canary-parameter");
  });

  test("sums up its latency, its providers' usage and its cost", async () => {
    const { stores, accountId } = service;
    const { callId, journal } = await active();
    const heard = { kind: "usage", stage: "stt", provider: "deepgram", usage: { audioSeconds: 6 } } as const;
    const spoken = { kind: "usage", stage: "tts", provider: "espeak", usage: { characters: 40 } } as const;
    const latency = { endOfTurnMs: 500, firstAudioMs: 700, firstFrameMs: 720 };
    const turn = {
      role: "agent",
      text: "Yes.",
      startMs: callMs(30),
      endMs: callMs(40),
      interrupted: false,
      latency,
    } as const;
    new JournalFile({ ...START, callId, accountId }, journal)
      .add({ kind: "event", timeMs: callMs(20), event: heard })
      .add({ kind: "event", timeMs: callMs(25), event: spoken })
      .add({ kind: "command", timeMs: callMs(40), command: { kind: "turn", turn } })
      .end(50)
      .add({ kind: "event", timeMs: callMs(50), event: heard });
    const problems: string[] = [];
    const prices = readPrices('{"currency": "EUR", "deepgram": {"audioMinute": 0.5}}', ["deepgram"], problems);
    const finalizer = finalizerOf(stores.calls, { prices });
    finalizer.finalize(callId);
    await finalizer.idle();
    expect(await stores.calls.get(accountId, callId)).toMatchObject({
      endReason: "caller_hangup",
      latency: {
        endOfTurn: { count: 1, p50Ms: 500, p90Ms: 500, p95Ms: 500, p99Ms: 500 },
        firstFrame: { p50Ms: 20 },
        total: { p99Ms: 720 },
      },
      usage: [
        { stage: "stt", provider: "deepgram", audioSeconds: 12, cost: 0.1 },
        { stage: "tts", provider: "espeak", characters: 40, cost: null },
      ],
      cost: { currency: "EUR", total: 0.1, complete: false },
    });
  });

  test("without prices has usage without a cost", async () => {
    const { stores, finalizer, accountId } = service;
    const { callId } = await active();
    finalizer.finalize(callId);
    await finalizer.idle();
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
    const { stores, finalizer, accountId } = service;
    const { callId, journal } = await active();
    const file = new JournalFile({ ...START, callId, accountId }, journal);
    if (frames > 0) file.frameOut(20, new Uint8Array(160));
    file.end(50, reason);
    finalizer.finalize(callId);
    await finalizer.idle();
    expect(await stores.calls.get(accountId, callId)).toMatchObject({ status, endReason: reason });
  });

  test("again, after its end, is acknowledged and renders nothing", async () => {
    const { finalizer, finalizedIds, logged } = service;
    const { callId, recording } = await active();
    finalizer.finalize(callId);
    await finalizer.idle();
    finalizer.finalize(callId);
    await finalizer.idle();
    expect(existsSync(recording)).toBe(false);
    expect(finalizedIds).toEqual([callId, callId]);
    expect(logged.filter((line) => line.includes("call record stored"))).toHaveLength(1);
  });

  test("without a journal ends it as lost; after its end the missing journal is not logged", async () => {
    const { stores, finalizer, accountId, logged } = service;
    const { callId, journal } = await active();
    rmSync(journal);
    for (let time = 0; time < 2; time += 1) {
      finalizer.finalize(callId);
      await finalizer.idle();
    }
    expect(await stores.calls.get(accountId, callId)).toMatchObject({ status: "failed", endReason: "worker_lost" });
    expect(logged.filter((line) => line.includes("ended call has no journal"))).toHaveLength(1);
  });

  test("whose journal cannot be read is retried, and then made of it", async () => {
    const { stores, clock, finalizer, accountId, finalizedIds, logged } = service;
    const { callId, journal } = await active();
    await withheld(journal, async () => {
      for (let second = 0; second < 10; second += 1) {
        finalizer.finalize(callId);
        await finalizer.idle();
        await clock.play(1_000);
      }
      await finalizer.idle();
      expect(await stores.calls.get(accountId, callId)).toMatchObject({ status: "active" });
      expect(finalizedIds).toEqual([]);
    });
    await clock.play(1_000);
    await finalizer.idle();
    expect(await stores.calls.get(accountId, callId)).toMatchObject({ status: "ended", endReason: "caller_hangup" });
    expect(await stores.calls.transcript(accountId, callId)).toMatchObject([{ text: "canary" }]);
    expect(finalizedIds).toEqual([callId]);
    expect(logged.some((line) => line.includes("no journal"))).toBe(false);
  });

  test("whose journal can never be read ends as lost", async () => {
    const { stores, clock, finalizer, accountId, finalizedIds, logged } = service;
    const { callId, journal } = await active();
    await withheld(journal, async () => {
      finalizer.finalize(callId);
      for (let second = 0; second < 60; second += 1) {
        await finalizer.idle();
        await clock.play(1_000);
      }
      await finalizer.idle();
    });
    expect(await stores.calls.get(accountId, callId)).toMatchObject({ status: "failed", endReason: "worker_lost" });
    expect(finalizedIds).toEqual([callId]);
    expect(logged.filter((line) => line.includes("ended call has no journal"))).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test("deletes a journal whose header cannot be read, where the call is to be redacted, and no other", async () => {
    const { stores, finalizer, accountId } = service;
    for (const redact of [["card_number"], []] as const) {
      const { callId, journal } = await active({ ...SPEC, redact });
      writeFileSync(journal, readFileSync(journal).fill(0xff, 8, 40));
      finalizer.finalize(callId);
      await finalizer.idle();
      expect(existsSync(journal)).toBe(redact.length === 0);
      expect(await stores.calls.get(accountId, callId)).toMatchObject({ endReason: "worker_lost" });
    }
  });

  test("is retried until the store answers, and the journal does not count as lost meanwhile", async () => {
    const { stores, clock, accountId, finalizedIds } = service;
    const { callId } = await active();
    let failures = 2;
    const { calls } = stores;
    const failing: CallFinalizerOptions["calls"] = {
      get: (...asked) => calls.get(...asked),
      async finish(...end) {
        failures -= 1;
        if (failures >= 0) throw new Error("the store is away");
        return await calls.finish(...end);
      },
      isRedacted: (callId) => calls.isRedacted(callId),
    };
    const finalizer = finalizerOf(failing);
    finalizer.finalize(callId);
    for (let second = 0; second < 3; second += 1) {
      await finalizer.idle();
      await clock.play(1_000);
    }
    await finalizer.idle();
    expect(finalizedIds).toEqual([callId]);
    expect(await stores.calls.get(accountId, callId)).toMatchObject({ status: "ended", endReason: "caller_hangup" });
  });
});

describe("finalizing many calls", () => {
  test("does not wait for one that hangs at the store, and processes at most eight at a time", async () => {
    const { stores, finalizedIds } = service;
    const { calls } = stores;
    const asked: string[] = [];
    const hanging: (() => void)[] = [];
    const slow: CallFinalizerOptions["calls"] = {
      get: (accountId, callId) => calls.get(accountId, callId),
      async finish(callId, ...end) {
        asked.push(callId);
        if (asked.length <= 8) await new Promise<void>((resolve) => hanging.push(resolve));
        return await calls.finish(callId, ...end);
      },
      isRedacted: (callId) => calls.isRedacted(callId),
    };
    const finalizer = finalizerOf(slow);
    const callIds: string[] = [];
    for (let call = 0; call < 10; call += 1) callIds.push((await active()).callId);
    for (const callId of callIds) finalizer.finalize(asCallId(callId));
    await expect.poll(() => hanging.length).toBe(8);
    expect(finalizedIds).toEqual([]);
    const [first, ...others] = hanging;
    first?.();
    await expect.poll(() => finalizedIds.length).toBe(3);
    expect(new Set([...asked.slice(0, 8), ...finalizedIds])).toEqual(new Set(callIds));
    for (const release of others) release();
    await finalizer.idle();
    expect(new Set(finalizedIds)).toEqual(new Set(callIds));
  });
});

describe("deleting a call's files", () => {
  test("leaves none of them, and deletes no other call's", async () => {
    const { directory, finalizer } = service;
    const [gone, stays] = [await active(), await active()];
    for (const { callId, recording } of [gone, stays]) {
      finalizer.finalize(callId);
      writeFileSync(recording, "RIFF");
    }
    await finalizer.idle();
    await finalizer.deleteFiles(gone.callId);
    for (const path of [gone.journal, gone.recording]) expect(existsSync(path)).toBe(false);
    for (const path of [stays.journal, stays.recording]) expect(existsSync(path)).toBe(true);
    expect(readdirSync(dirname(gone.recording))).toHaveLength(1);
    expect(allBytes(join(directory, "journals")).match(/canary/g)).toHaveLength(1);
  });

  test("is no error where there are none, nor when repeated", async () => {
    const { finalizer } = service;
    const { callId } = await active();
    await finalizer.deleteFiles(callId);
    await finalizer.deleteFiles(callId);
    await finalizer.deleteFiles(asCallId("call_01990000-0000-7000-8000-000000000000"));
  });

  test("waits for the recording that is being rendered, and for those before it", async () => {
    const { finalizer, stores, accountId } = service;
    const calls = [await active(), await active(), await active()];
    for (const { callId, recording } of calls) {
      finalizer.finalize(callId);
      // As the job does that renders it.
      void finalizer.withFiles(callId, async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        writeFileSync(recording, "RIFF");
      });
    }
    const [first, , last] = calls;
    await Promise.all([
      finalizer.deleteFiles(last?.callId ?? asCallId("")),
      finalizer.deleteFiles(first?.callId ?? asCallId("")),
    ]);
    for (const { journal, recording } of [first, last].filter((call) => call !== undefined)) {
      expect([existsSync(journal), existsSync(recording)]).toEqual([false, false]);
    }
    // It has had its record before.
    expect(await stores.calls.get(accountId, last?.callId ?? asCallId(""))).toMatchObject({ status: "ended" });
    await finalizer.idle();
    expect(existsSync(calls[1]?.recording ?? "")).toBe(true);
  });

  test("is final: a late request to finalize the call creates no file", async () => {
    const { directory, finalizer, stores, accountId, finalizedIds, logged } = service;
    const { callId } = await active();
    finalizer.finalize(callId);
    await finalizer.idle();
    await finalizer.deleteFiles(callId);
    finalizer.finalize(callId);
    await finalizer.idle();
    await stores.calls.remove(accountId, callId);
    finalizer.finalize(callId);
    await finalizer.idle();
    expect(readdirSync(join(directory, "recordings"))).toEqual([]);
    expect(readdirSync(join(directory, "journals"))).toEqual([]);
    expect(finalizedIds).toEqual([callId, callId, callId]);
    expect(logged.some((line) => line.includes("no journal"))).toBe(false);
  });

  test("of a call whose row is gone but whose journal came back by hand, nothing is rendered", async () => {
    const { finalizer, stores, accountId } = service;
    const { callId, journal, recording } = await active();
    finalizer.finalize(callId);
    await finalizer.idle();
    const bytes = readFileSync(journal);
    await finalizer.deleteFiles(callId);
    await stores.calls.remove(accountId, callId);
    writeFileSync(journal, bytes);
    finalizer.finalize(callId);
    await finalizer.idle();
    expect(existsSync(recording)).toBe(false);
  });

  test("that the disk refuses is reported without a path, and can be retried; other calls continue", async () => {
    const { directory, finalizer } = service;
    const [stuck, other] = [await active(), await active()];
    mkdirSync(join(stuck.recording, "in-the-way"), { recursive: true });
    const refused = finalizer.deleteFiles(stuck.callId);
    const [error] = await Promise.all([
      refused.catch((thrown: unknown) => thrown),
      finalizer.deleteFiles(other.callId),
    ]);
    expect(error).toMatchObject({ code: "unavailable", fault: "service" });
    expect(String(error)).not.toContain(directory);
    expect(existsSync(other.journal)).toBe(false);
    rmSync(stuck.recording, { recursive: true });
    await finalizer.deleteFiles(stuck.callId);
    expect(existsSync(stuck.journal)).toBe(false);
  });
});
