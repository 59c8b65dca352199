import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { Call } from "../../../src/call/call.ts";
import type { TranscriptUpdate } from "../../../src/core/calls/transcript.ts";
import { canonicalJson } from "../../../src/core/canonical-json.ts";
import { JournalDecoder } from "../../../src/record/journal/format.ts";
import type { JournalRecord } from "../../../src/record/journal/records.ts";
import type { TimedCommand } from "../../../src/record/replay/replay.ts";
import { replaySetupOf } from "../../../src/record/replay/setup.ts";
import type { SentMessage } from "./hold-call.ts";
import { commandAsRecorded, messageAsRecorded } from "./recorded-names.ts";

/** Where the golden journals are: a folder a line, a file a call, `<call>.tlj.gz`. */
export const GOLDEN_JOURNALS = fileURLToPath(new URL("../../../fixtures/golden-journals/", import.meta.url));
export const FINGERPRINTS = join(GOLDEN_JOURNALS, "fingerprints.json");
const ENDING = ".tlj.gz";

/** What a golden call came to when it was recorded, under the names of then: a refactoring changes none of it. */
export interface Fingerprint {
  /** How many commands the call machine gave, and the hash of all of them with their times. */
  commands: number;
  commandsHash: string;
  /** How many messages the peer was sent, and the hash of all of them with their times. */
  messages: number;
  messagesHash: string;
}

/** The names of all golden journals, `<line>/<call>`, in order. */
export const goldenNames = (): string[] =>
  readdirSync(GOLDEN_JOURNALS, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ENDING))
    .map((path) => path.slice(0, -ENDING.length).replaceAll("\\", "/"))
    .sort();

export const goldenPath = (name: string): string => join(GOLDEN_JOURNALS, `${name}${ENDING}`);

/** The bytes of a golden journal, as they were recorded. */
export const goldenJournal = (name: string): Buffer => gunzipSync(readFileSync(goldenPath(name)));

/** Packs a journal so that the same journal gives the same file. */
export const packed = (journal: Uint8Array): Buffer => gzipSync(journal, { level: 9 });

export const readFingerprints = (): Record<string, Fingerprint> =>
  JSON.parse(readFileSync(FINGERPRINTS, "utf8")) as Record<string, Fingerprint>;

export function writeFingerprints(fingerprints: Readonly<Record<string, Fingerprint>>): void {
  const lines = Object.entries(fingerprints)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, fingerprint]) => `  ${JSON.stringify(name)}: ${JSON.stringify(fingerprint)}`);
  writeFileSync(FINGERPRINTS, `{\n${lines.join(",\n")}\n}\n`);
}

/** Of commands as a journal has them today. */
export function commandsFingerprint(commands: readonly TimedCommand[]): Pick<Fingerprint, "commands" | "commandsHash"> {
  const lines = commands.map(({ timeMs, command }) => `${timeMs} ${canonicalJson(commandAsRecorded(command))}`);
  return { commands: commands.length, commandsHash: hashOf(lines) };
}

/** Of messages as the peer was sent them today. */
export function messagesFingerprint(sent: readonly SentMessage[]): Pick<Fingerprint, "messages" | "messagesHash"> {
  const lines = sent.map(({ atMs, message }) =>
    typeof message === "string"
      ? `${atMs} ${canonicalJson(messageAsRecorded(JSON.parse(message)))}`
      : `${atMs} ${Buffer.from(message).toString("base64")}`,
  );
  return { messages: sent.length, messagesHash: hashOf(lines) };
}

const hashOf = (lines: readonly string[]): string =>
  createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 32);

/** All records of a journal under today's names, with audio of their own. */
export function recordsOf(journal: Buffer): JournalRecord[] {
  const records: JournalRecord[] = [];
  const rest = journal.length - new JournalDecoder((record) => records.push(withOwnAudio(record))).push(journal);
  if (rest !== 0) throw new Error("the journal ends within a record");
  return records;
}

/** The transcript that the call machine of today makes of a journal; undefined where the call is not recorded. */
export function transcriptsOf([first, ...records]: readonly JournalRecord[]): TranscriptUpdate[] | undefined {
  if (first?.kind !== "header") throw new Error("the journal has no header");
  const { header } = first;
  if (header.spec === undefined) return undefined;
  const transcripts: TranscriptUpdate[] = [];
  const call = new Call({
    ...replaySetupOf(header),
    rateHz: header.leg.outboundRateHz,
    sttHasInterim: header.sttHasInterim,
    promptTokensMax: header.promptTokensMax,
    sink: (command) => {
      if (command.kind === "transcript") transcripts.push(command);
    },
  });
  for (const record of records) {
    if (record.kind === "event") call.handle(record.event, record.timeMs);
    else if (record.kind === "frame-in" || record.kind === "frame-out") call.handle(record, record.timeMs);
  }
  return transcripts;
}

const withOwnAudio = (record: JournalRecord): JournalRecord =>
  "audio" in record ? { ...record, audio: Uint8Array.from(record.audio) } : record;
