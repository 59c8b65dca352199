import { existsSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { type AccountId, asTranscriptionId, type CallId, type TranscriptionId } from "../../../src/core/ids.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { EventPager } from "../../../src/record/events/event-pages.ts";
import { CallFinalizer } from "../../../src/record/finalization/finalizer.ts";
import { localJournalProcessor } from "../../../src/record/finalization/journal-processor.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import { LiveSpans } from "../../../src/record/traces/live-spans.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { formatResult, TEXT_FORMATS } from "../../../src/transcription/formats/format.ts";
import { createCall } from "../../support/calls/stored-calls.ts";
import { TRANSCRIPTION_SPEC, VirtualTranscription } from "../../support/calls/virtual-transcription.ts";
import { START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { hasPostgres } from "../../support/postgres/server.ts";
import { migratedDatabase } from "../../support/stores/every-store.ts";
import { everythingIn } from "../../support/stores/everything.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf, redeemedBy } from "../../support/tokens.ts";

const SPEC: CallSpec = {
  ...TRANSCRIPTION_SPEC,
  recordingEnabled: false,
  transcriptEnabled: true,
  redact: ["card_number"],
};
/** A card number is said over two utterances, and once more in words of which only an interim has come. */
const FIRST = "my card is 4929 7318";
const SECOND = "6052 4404 thanks";
const LAST = "once more 4929 7318 6052 4404";
const TEXT = "my card is [card number] [card number] thanks once more [card number]";
const NEEDLES = ["4929 7318", "6052 4404", "7318 6052", "4929731860524404"];
const REDEMPTION = redeemedBy("worker-1");
const makeResampler = await loadResampler();

let directory: string;
let clock: ManualClock;
let stores: Stores;
let accountId: AccountId;

async function open(onPostgres = false): Promise<void> {
  directory = temporaryDirectory();
  clock = new ManualClock();
  const ageClock = ageClockOf(clock);
  stores = onPostgres
    ? await openPostgresStores(await migratedDatabase(), clock, { ageClock })
    : await openSqliteStores(directory, clock, { ageClock });
  accountId = await stores.accounts.ensure("first");
}
afterEach(() => stores.close());

/** A live transcription as its worker leaves it: `isLost`, in the middle of the last utterance. */
async function transcribed(isLost: boolean): Promise<{ callId: CallId; id: TranscriptionId }> {
  const { id: callId, tokenHash } = await createCall(stores, accountId, SPEC);
  const redeemed = await stores.redemptions.redeem(tokenHash, REDEMPTION);
  if (redeemed === undefined) throw new Error("not redeemed");
  const { spec } = redeemed;
  const live = new VirtualTranscription({ spec });
  live.says(500, FIRST);
  live.says(4_000, SECOND);
  live.says(8_000, LAST, Number.POSITIVE_INFINITY);
  if (!isLost) live.at(10_500, { kind: "finalize-requested", endReason: "caller_hangup" });
  live.run(isLost ? 10_200 : 15_000);
  expect(live.texts).toEqual(isLost ? [FIRST, SECOND] : [FIRST, SECOND, LAST]);
  new JournalFile({ ...START, callId, accountId, spec }, journalPath(directory, callId)).add(...live.records);
  return { callId, id: asTranscriptionId(callId) };
}

function finalizer(): { finalizer: CallFinalizer; lines: string[] } {
  const { log, lines } = memoryLog();
  const journals = localJournalProcessor(directory, makeResampler);
  const options = { calls: stores.calls, dataDir: directory, journals, clock, log, onFinalized: () => {} };
  return { finalizer: new CallFinalizer(options), lines };
}

const foundIn = (bytes: string): string[] => NEEDLES.filter((needle) => bytes.includes(needle));

type Case = [of: string, isLost: boolean, onPostgres: boolean];
const ON_POSTGRES: readonly Case[] = hasPostgres ? [["whose worker was lost, on Postgres", true, true]] : [];
const CASES: readonly Case[] = [
  ["that has ended", false, false],
  ["whose worker was lost", true, false],
  ...ON_POSTGRES,
];

describe("a live transcription that is redacted, in which a card number was said over two utterances", () => {
  test.each(CASES)("leaves none of it in a file, in a row or in the log: one %s", async (_, isLost, onPostgres) => {
    await open(onPostgres);
    const { callId, id } = await transcribed(isLost);
    expect(foundIn(await everythingIn(stores, directory)).length).toBeGreaterThan(2);
    const { finalizer: made, lines } = finalizer();
    const { workerId, connection: workerConnection, epoch } = REDEMPTION;
    if (isLost) made.finalizeLost({ id: callId, workerId, workerConnection, epoch });
    else made.finalize(callId);
    await made.idle();

    const transcription = await stores.transcriptions.get(accountId, id);
    expect(transcription).toMatchObject(
      isLost ? { status: "failed", failure: { code: "worker_lost" } } : { status: "completed" },
    );
    const result = await stores.transcriptions.result(accountId, id);
    if (result === undefined) throw new Error("it has no result");
    expect(result.text).toBe(TEXT);
    expect(result.utterances.map(({ text }) => text)).toEqual([
      "my card is [card number]",
      "[card number] thanks",
      "once more [card number]",
    ]);
    expect(result.words.filter(({ text }) => text.includes("["))).toHaveLength(3);
    for (const format of TEXT_FORMATS) {
      expect(foundIn(formatResult(result, format))).toEqual([]);
      expect(formatResult(result, format)).toContain("[card number]");
    }
    expect((await stores.calls.get(accountId, callId))?.redaction).toEqual({ card_number: 3 });
    expect(foundIn(lines.join("\n"))).toEqual([]);
    expect(foundIn(await everythingIn(stores, directory))).toEqual([]);
    // Made again after a crash, it is the same.
    const again = await localJournalProcessor(directory, makeResampler).project(callId);
    expect(again.transcription).toEqual(result);
  });

  test("has no words in its events and spans while it is live", async () => {
    await open();
    const { callId } = await transcribed(true);
    const page = await new EventPager(directory).page(callId, 0, 1_000);
    expect(page.events.map(({ kind }) => kind)).toContain("stt-interim");
    expect(JSON.stringify(page)).not.toMatch(/card|thanks|4929/);
    const request = { hasWords: true, afterNumber: 0 };
    const spans = await new LiveSpans().read(callId, journalPath(directory, callId), request);
    expect(spans?.spans.map(({ name }) => name)).toEqual(["utterance", "utterance"]);
    expect(JSON.stringify(spans)).not.toMatch(/card|thanks|4929/);
  });

  test("has failed without a result, and its journal is gone, where that is damaged", async () => {
    await open();
    const { callId, id } = await transcribed(false);
    writeFileSync(journalPath(directory, callId), `my card is ${NEEDLES.join(" ")}`);
    const { finalizer: made } = finalizer();
    made.finalize(callId);
    await made.idle();
    expect(await stores.transcriptions.get(accountId, id)).toMatchObject({ status: "failed" });
    expect(await stores.transcriptions.result(accountId, id)).toBeUndefined();
    expect(existsSync(journalPath(directory, callId))).toBe(false);
    expect(foundIn(await everythingIn(stores, directory))).toEqual([]);
  });
});
