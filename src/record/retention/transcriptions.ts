import { strictestDays } from "../../core/accounts/account-settings.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs } from "../../core/clocks.ts";
import { codeOf } from "../../core/errors.ts";
import type { AccountId } from "../../core/ids.ts";
import { type RetainedPart, type RetentionRules, retentionDaysOf } from "../../core/retention.ts";
import type { AccountStore } from "../../store/accounts/account-store.ts";
import type { RetentionStore } from "../../store/calls/retention-store.ts";
import type { TranscriptionAudio } from "../../store/data-dir/transcription-audio.ts";
import type { DueTranscription, TranscriptionStore } from "../../store/transcription-store.ts";

const DAY_MS = 86_400_000;
const TRANSCRIPTIONS_PER_QUERY = 100;
/** Records first: deleting a record deletes all of a transcription. */
const DELETION_ORDER: readonly RetainedPart[] = ["record", "recording", "transcript"];

export interface TranscriptionRetentionOptions {
  /** Of the service; an account may have shorter ones of its own. */
  rules: RetentionRules;
  accounts: Pick<AccountStore, "list">;
  transcriptions: Pick<TranscriptionStore, "listDue" | "remove" | "audioDeleted" | "deleteResult">;
  audio: Pick<TranscriptionAudio, "bytes" | "remove">;
  store: Pick<RetentionStore, "compact">;
  clock: Clock;
  log: Record<"info" | "error", (fields: object, message: string) => void>;
  /** A part of a transcription was deleted, with a file of this size. */
  onDeleted?: (part: RetainedPart, bytes: number) => void;
  onFailed?: (part: RetainedPart) => void;
}

/** What a run deleted, or would delete, of one account. */
export interface TranscriptionTotal {
  accountName: string;
  part: RetainedPart;
  transcriptions: number;
  /** The size of files; what the database frees is not counted. */
  bytes: number;
}

/**
 * Deletes parts of transcriptions that are over when their retention expires, by the days of calls: the audio with recordings, the
 * result with transcripts, and the rest with records. The file first, so that the next run completes one that died between the two.
 */
export class TranscriptionRetention {
  readonly #options: TranscriptionRetentionOptions;

  constructor(options: TranscriptionRetentionOptions) {
    this.#options = options;
  }

  /** Deletes everything that is due. Rejects where the store cannot list it. What fails is retried by the next run. */
  async run(signal?: AbortSignal): Promise<readonly TranscriptionTotal[]> {
    const { store, log, onDeleted } = this.#options;
    const sums = await this.#each(signal, async (accountId, part, id) => {
      const bytes = part === "transcript" ? 0 : await this.#options.audio.bytes(id);
      await this.#delete(accountId, part, id);
      onDeleted?.(part, bytes);
      return bytes;
    });
    if (sums.length > 0) {
      while (!signal?.aborted && (await store.compact()));
      const transcriptions = sums.reduce((sum, one) => sum + one.transcriptions, 0);
      log.info({ transcriptions }, "retention of transcriptions finished");
    }
    return sums;
  }

  /** What a run would delete now. */
  preview(): Promise<readonly TranscriptionTotal[]> {
    const { audio } = this.#options;
    return this.#each(undefined, async (_, part, id) => (part === "transcript" ? 0 : await audio.bytes(id)));
  }

  async #delete(accountId: AccountId, part: RetainedPart, id: DueTranscription["id"]): Promise<void> {
    const { transcriptions, audio } = this.#options;
    if (part !== "transcript") await audio.remove(id);
    if (part === "record") await transcriptions.remove(accountId, id);
    else if (part === "recording") await transcriptions.audioDeleted(id);
    else await transcriptions.deleteResult(id);
  }

  async #each(
    signal: AbortSignal | undefined,
    work: (accountId: AccountId, part: RetainedPart, id: DueTranscription["id"]) => Promise<number>,
  ): Promise<readonly TranscriptionTotal[]> {
    const { accounts, clock, log, rules, onFailed } = this.#options;
    const sums: TranscriptionTotal[] = [];
    for (const { id: accountId, name: accountName, settings } of await accounts.list()) {
      const days = strictestDays(retentionDaysOf(rules, accountName), settings.retention);
      for (const part of DELETION_ORDER) {
        const sum = { accountName, part, transcriptions: 0, bytes: 0 };
        const daysOfPart = days[part];
        if (daysOfPart === undefined) continue;
        const recordsBeforeMs = addMs(clock.epochMs(), -(days.record ?? Number.POSITIVE_INFINITY) * DAY_MS);
        for await (const { id, endedAtMs } of this.#due(accountId, part, daysOfPart, signal)) {
          // Its record is deleted, or was, in this run.
          if (part !== "record" && endedAtMs < recordsBeforeMs) continue;
          try {
            sum.bytes += await work(accountId, part, id);
            sum.transcriptions += 1;
          } catch (error) {
            const fields = { transcriptionId: id, part, err: error, code: codeOf(error) };
            log.error(fields, "retention could not delete a transcription");
            onFailed?.(part);
          }
        }
        if (sum.transcriptions > 0) sums.push(sum);
      }
    }
    return sums;
  }

  async *#due(
    accountId: AccountId,
    part: RetainedPart,
    days: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<DueTranscription> {
    const { transcriptions, clock } = this.#options;
    const endedBeforeMs = addMs(clock.epochMs(), -days * DAY_MS);
    for (let after: DueTranscription | undefined; !signal?.aborted; ) {
      const query = { part, endedBeforeMs, after, limit: TRANSCRIPTIONS_PER_QUERY };
      const due = await transcriptions.listDue(accountId, query);
      for (const one of due) {
        if (signal?.aborted) return;
        yield one;
      }
      after = due.at(-1);
      if (due.length < TRANSCRIPTIONS_PER_QUERY) return;
    }
  }
}
