import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import { type MediaKey, newMediaKey } from "../../../src/core/encryption/chunks.ts";
import { type AccountId, asTurnId, type CallId } from "../../../src/core/ids.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { EventPager } from "../../../src/record/events/event-pages.ts";
import { CallFinalizer } from "../../../src/record/finalization/finalizer.ts";
import { localJournalProcessor } from "../../../src/record/finalization/journal-processor.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import { writeAtomically } from "../../../src/record/recording/wav-file.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { AGENT, SPEC } from "../../support/calls/stored-calls.ts";
import { CANARY_LANGUAGES, type CanaryLanguage, canariesIn } from "../../support/journals/canaries.ts";
import { START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { hasPostgres } from "../../support/postgres/server.ts";
import { migratedDatabase } from "../../support/stores/every-store.ts";
import { everythingIn } from "../../support/stores/everything.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf, mintToken, redeemedBy } from "../../support/tokens.ts";

const KINDS = ["card_number", "phone_number", "email", "national_id", "variables"] as const;
const makeResampler = await loadResampler();

let language: CanaryLanguage;
let canaries = canariesIn("en-US");
let directory: string;
let clock: ManualClock;
let stores: Stores;
let accountId: AccountId;
const everything = (): Promise<string> => everythingIn(stores, directory);

async function open(onPostgres: boolean, spoken: CanaryLanguage = "en-US"): Promise<void> {
  language = spoken;
  canaries = canariesIn(language);
  directory = temporaryDirectory();
  clock = new ManualClock();
  const ageClock = ageClockOf(clock);
  stores = onPostgres
    ? await openPostgresStores(await migratedDatabase(), clock, { ageClock })
    : await openSqliteStores(directory, clock, { ageClock });
  accountId = await stores.accounts.ensure("first");
}
afterEach(() => stores.close());

/** A call in which the caller says all canaries and the agent repeats each, as its worker leaves it. */
async function call(isTruncated: boolean, key?: (callId: CallId) => MediaKey): Promise<CallId> {
  const agent = await stores.agents.create(accountId, AGENT);
  const tokenHash = hashSecret(mintToken());
  const spec = { ...SPEC, language, redact: KINDS, redactedValues: canaries.values };
  const variables = Object.fromEntries(canaries.values.map((value, at) => [`v${at}`, value]));
  const prompt = `${spec.systemPrompt} The caller may be ${canaries.values.join(" or ")}.`;
  const of = { accountId, tokenHash, tokenTtlMs: 60_000, agent: { id: agent.id, version: 1, variables } };
  await stores.calls.create({ spec: { ...spec, systemPrompt: prompt }, ...of });
  const redeemed = await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  if (redeemed === undefined) throw new Error("not redeemed");
  const { callId } = redeemed;
  const path = journalPath(directory, callId);
  const plain = key === undefined ? path : `${path}.plain`;
  const file = new JournalFile({ ...START, callId, accountId, spec: { ...redeemed.spec } }, plain);
  let atMs = 0;
  for (const [at, text] of canaries.sentences.entries()) {
    const [startMs, endMs] = [callMs(atMs + 500), callMs(atMs + 1_500)];
    const turnId = asTurnId(at + 1);
    const audio = Buffer.from(text.padEnd(160, "~").slice(0, 160));
    file.add(
      { kind: "frame-in", timeMs: startMs, mediaMs: mediaMs(atMs + 500), isSpeech: true, audio, audioOmitted: false },
      { kind: "event", timeMs: endMs, event: { kind: "stt-interim", text } },
      { kind: "event", timeMs: endMs, event: { kind: "stt-final", text } },
      {
        kind: "command",
        timeMs: endMs,
        command: { kind: "turn", turn: { role: "user", text, startMs, endMs, interrupted: false } },
      },
      { kind: "event", timeMs: endMs, event: { kind: "reply-text", turnId, text: `You said ${text}` } },
      { kind: "command", timeMs: endMs, command: { kind: "speak", turnId, segment: 0, text: `You said ${text}` } },
      { kind: "event", timeMs: endMs, event: { kind: "segment-audio", turnId, segment: 0, samples: 160, words: [] } },
      { kind: "frame-out", timeMs: callMs(atMs + 1_600), turnId, samples: 160, audio, audioOmitted: false },
      {
        kind: "command",
        timeMs: callMs(atMs + 1_700),
        command: {
          kind: "turn",
          turn: {
            role: "agent",
            text: `You said ${text}`,
            startMs: callMs(atMs + 1_600),
            endMs: callMs(atMs + 1_620),
            interrupted: false,
          },
        },
      },
    );
    atMs += 2_000;
  }
  if (!isTruncated) file.end(atMs);
  if (key === undefined) return callId;
  mkdirSync(dirname(path), { recursive: true });
  await writeAtomically({ path, key: key(callId) }, (output) => output.write(readFileSync(plain)), "journal");
  rmSync(plain);
  return callId;
}

function finalizerWith(findKey: (callId: CallId) => Promise<MediaKey | undefined>) {
  const { log, lines } = memoryLog();
  const journals = localJournalProcessor(directory, makeResampler, findKey);
  const finalizer = new CallFinalizer({
    calls: stores.calls,
    dataDir: directory,
    journals,
    clock,
    log,
    onFinalized: () => {},
  });
  return { finalizer, journals, lines };
}

/** Files are read as Latin-1, rows as they are. */
const hasIn = (bytes: string, needle: string): boolean =>
  bytes.includes(needle) || bytes.includes(Buffer.from(needle, "utf8").toString("latin1"));
const foundIn = (bytes: string): string[] => canaries.needles.filter((needle) => hasIn(bytes, needle));

interface Case {
  of: string;
  isTruncated?: boolean;
  isEncrypted?: boolean;
  onPostgres?: boolean;
  spoken?: CanaryLanguage;
}
const ON_POSTGRES: readonly Case[] = hasPostgres ? [{ of: "a call that ended, on Postgres", onPostgres: true }] : [];
const CASES: readonly Case[] = [
  { of: "a call whose worker died", isTruncated: true },
  { of: "an encrypted call", isEncrypted: true },
  ...CANARY_LANGUAGES.map((spoken) => ({ of: `a call in ${spoken} that ended`, spoken })),
  ...ON_POSTGRES,
];

describe("after a call in which fifty things, or forty, were said that must not be kept", () => {
  test.each(CASES)("no file and no row has one of them: of $of", async ({
    isTruncated,
    isEncrypted,
    onPostgres,
    spoken,
  }) => {
    await open(onPostgres ?? false, spoken);
    const keys = new Map<CallId, MediaKey>();
    const keyOf = (callId: CallId): MediaKey => {
      const key = keys.get(callId) ?? newMediaKey(callId);
      keys.set(callId, key);
      return key;
    };
    const callId = await call(isTruncated ?? false, isEncrypted === true ? keyOf : undefined);
    const { finalizer, journals, lines } = finalizerWith(async (id) => keys.get(id));
    if (isEncrypted !== true) {
      const before = foundIn(await everything());
      expect(before.length).toBeGreaterThan(canaries.sentences.length);
      expect(before).toEqual(expect.arrayContaining([...canaries.spokenCards]));
    }
    finalizer.finalize(callId);
    await finalizer.idle();
    const recording = await journals.render(callId);
    if (recording !== undefined) await stores.calls.setRecording(callId, recording);
    const turns = await stores.calls.transcript(accountId, callId);
    expect(turns).toHaveLength(2 * canaries.sentences.length);
    expect(foundIn(JSON.stringify(turns))).toEqual([]);
    const record = await stores.calls.get(accountId, callId);
    expect(foundIn(JSON.stringify(record))).toEqual([]);
    expect(Object.keys(record?.redaction ?? {}).sort()).toEqual(
      KINDS.filter((kind) => kind !== "national_id" || canaries.hasIds).sort(),
    );
    const page = await new EventPager(directory, async (id) => keys.get(id)).page(callId, 0, 1_000);
    expect(foundIn(JSON.stringify(page))).toEqual([]);
    expect(foundIn(lines.join("\n"))).toEqual([]);
    // The change log of SQLite is emptied without waiting for it.
    await stores.calls.expire();
    expect(foundIn(await everything())).toEqual([]);
    // Made again after a crash, it is the same.
    expect((await journals.project(callId)).turns).toEqual(turns);
  });

  test("the events of the call have no words while it is live, and are listed on from where they were", async () => {
    await open(false);
    const callId = await call(true);
    const pager = new EventPager(directory);
    const live = await pager.page(callId, 0, 100);
    expect(foundIn(JSON.stringify(live))).toEqual([]);
    const { finalizer } = finalizerWith(async () => undefined);
    finalizer.finalize(callId);
    await finalizer.idle();
    const rest = await pager.page(callId, live.next, 1_000);
    const whole = await new EventPager(directory).page(callId, 0, 1_000);
    expect(rest.events).toEqual(whole.events.slice(live.next));
  });
});
