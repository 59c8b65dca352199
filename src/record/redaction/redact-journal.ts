import { rm } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { isRedacted } from "../../core/calls/spec.ts";
import type { FileOutput } from "../../core/encryption/chunked-file.ts";
import type { MediaFile } from "../../core/encryption/chunks.ts";
import { codeOf, systemErrorCodeOf } from "../../core/errors.ts";
import type { RedactionRules } from "../../core/redaction/kinds.ts";
import { replayToEnd } from "../finalization/projection.ts";
import { JournalEncoder } from "../journal/format.ts";
import { JournalReader, readJournal } from "../journal/reader.ts";
import { type JournalHeader, type JournalRedaction, journalUnreadable } from "../journal/records.ts";
import { writeAtomically } from "../recording/wav-file.ts";
import { JournalRewriter } from "./rewriter.ts";
import { RedactionSurvey } from "./survey.ts";

/** So much is written at a time. */
const WRITE_BYTES = 64 * 1024;

/**
 * Takes from the journal of a call that is over what its settings say must not be kept: from its words, and from its audio by silence.
 * The new journal replaces the old one when it is complete on the disk, before a record or a recording is made of it; until then the
 * old one is as it was. It has the same records at the same times, and where the worker died, the commands that end the call. It
 * cannot be replayed: its header says so. Does nothing for other journals, and for one that was redacted before.
 *
 * Rejects with `journal_unreadable`, `journal_unsupported`, and with the file system's error. A journal that is damaged is deleted: what
 * cannot be read cannot be redacted. One of a later version stays: nothing is made or shown of it by this build. `isRedacted`: the
 * record of the call says that it is to be redacted, which a header that is damaged cannot say.
 */
export async function redactJournal(journal: MediaFile, isRedacted = false): Promise<void> {
  let mustGo = isRedacted;
  try {
    const header = await headerOf(journal);
    if (header === undefined) {
      if (isRedacted) throw journalUnreadable("its header is incomplete");
      return;
    }
    const rules = rulesOf(header);
    if (rules === undefined) return;
    mustGo = true;
    await rewrite(journal, header, rules);
  } catch (error) {
    if (mustGo && codeOf(error) === "journal_unreadable" && systemErrorCodeOf(error) === undefined)
      await rm(journal.path, { force: true });
    throw error;
  }
}

/** Whether the journal has been redacted. Rejects as `readJournal` does. */
export const isRedactedJournal = async (journal: MediaFile): Promise<boolean> =>
  (await headerOf(journal))?.redaction !== undefined;

async function rewrite(journal: MediaFile, header: JournalHeader, rules: RedactionRules): Promise<void> {
  const survey = new RedactionSurvey();
  await readJournal(journal, (record) => survey.take(record));
  const journaled = survey.commands.length;
  const added = survey.hasEnd ? [] : (await replayToEnd(journal, [...survey.commands])).slice(journaled);
  for (const { command } of added) survey.onCommand(command);
  const languages = [...new Set([...rules.languages, ...survey.languages])];
  const { found, counts } = await survey.result({ ...rules, languages }, header.leg.outboundRateHz);
  const redaction: JournalRedaction = { found: counts, ...(!survey.hasEnd && { recovered: true }) };
  const encoder = new JournalEncoder();
  const rewriter = new JournalRewriter({ header, found, redaction, encoder });
  const write = async (file: FileOutput): Promise<void> => {
    const reader = new JournalReader(journal, (record) => rewriter.take(record));
    while ((await reader.readMore(() => encoder.length > WRITE_BYTES)) === "stopped") {
      await flush(encoder, file);
      // Calls are finalized beside this one.
      await setImmediate();
    }
    for (const { command } of added) rewriter.command(survey.lastMs, command);
    await flush(encoder, file);
  };
  await writeAtomically(journal, write, "journal");
}

async function flush(encoder: JournalEncoder, file: FileOutput): Promise<void> {
  await file.write(encoder.written());
  encoder.reset();
}

async function headerOf(journal: MediaFile): Promise<JournalHeader | undefined> {
  let header: JournalHeader | undefined;
  const reader = new JournalReader(journal, (record) => {
    if (record.kind === "header") header = record.header;
  });
  await reader.readMore(() => header !== undefined);
  return header;
}

/** Undefined where nothing is to be redacted. A journal that was redacted has no spec. */
function rulesOf({ spec }: JournalHeader): RedactionRules | undefined {
  if (spec === undefined || !isRedacted(spec)) return undefined;
  return { kinds: spec.redact ?? [], languages: [spec.language], values: spec.redactedValues ?? [] };
}
