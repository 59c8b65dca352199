import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { JournalHeader } from "../../../src/record/journal/records.ts";
import { JOURNAL_VERSION } from "../../../src/record/journal/versions.ts";
import { inProject } from "../../harness/project.ts";
import { Child } from "../../rig/child-process.ts";
import type { MakeQuestions } from "./make.ts";

/** The preamble of a journal and the head of its first record: see src/record/journal/format.ts. */
const HEADER_AT = 8 + 14;
const HEADER_LENGTH_AT = 8 + 2;

/** The journal of a long call, as the gateway wrote it. */
export interface LongJournal {
  bytes: Buffer;
  header: JournalHeader;
}

/** The journal of a call of so many minutes: from `bench/cache`, where it is made if it is not there, which takes a minute. */
export async function longJournal(minutes: number, write: (line: string) => void): Promise<LongJournal> {
  const cache = inProject("bench/cache/");
  const path = fileURLToPath(new URL(`call-of-${minutes}-minutes-${JOURNAL_VERSION}.tlj`, cache));
  if (!existsSync(path)) {
    write(`a call of ${minutes} minutes is held in virtual time`);
    mkdirSync(cache, { recursive: true });
    const maker = await Child.start<MakeQuestions>(import.meta.url, "./make");
    try {
      await maker.ask("make", { path, minutes });
    } finally {
      maker.stop();
    }
  }
  const bytes = readFileSync(path);
  return { bytes, header: JSON.parse(headerText(bytes)) as JournalHeader };
}

const headerEnd = (bytes: Buffer): number => HEADER_AT + bytes.readUInt32LE(HEADER_LENGTH_AT);
const headerText = (bytes: Buffer): string => bytes.toString("utf8", HEADER_AT, headerEnd(bytes));

/** Makes a journal that of another call: its header gets these values, which are as long as those that it has. */
export function asJournalOf(
  { bytes, header }: LongJournal,
  { callId, accountId, startedAt }: Pick<JournalHeader, "callId" | "accountId" | "startedAt">,
): void {
  const before = headerText(bytes);
  const after = before
    .replaceAll(header.callId, callId)
    .replaceAll(header.accountId, accountId)
    .replaceAll(header.startedAt, startedAt);
  if (Buffer.byteLength(after) !== Buffer.byteLength(before))
    throw new Error("an id of the long call has another length");
  bytes.write(after, HEADER_AT);
}
