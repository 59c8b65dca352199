import type { Clock } from "../../../core/clock.ts";
import { elapsedMs } from "../../../core/clocks.ts";
import { codeOf } from "../../../core/errors.ts";
import type { TranscriptionId } from "../../../core/ids.ts";
import type { Logger } from "../../../core/log/logger.ts";
import type { ControlMetrics, TranscriptionEnd } from "../../../core/metrics/control-metrics.ts";
import { keepsAudio } from "../../../record/retention/kept-audio.ts";
import type { TranscriptionAudio } from "../../../store/data-dir/transcription-audio.ts";
import type { Transcription, TranscriptionStore } from "../../../store/transcription-store.ts";

export interface TranscriptionEndsOptions {
  transcriptions: Pick<TranscriptionStore, "onOver" | "find" | "audioDeleted">;
  audio: Pick<TranscriptionAudio, "ids" | "isShared" | "remove" | "removeHere" | "removePartial" | "adopt">;
  /** Media are encrypted, which uploads are not: their audio is deleted as soon as they are over. */
  encryptsMedia: boolean;
  metrics: Pick<ControlMetrics, "transcriptionEnded">;
  clock: Clock;
  log: Logger;
}

/** Counts and logs the transcriptions that are over, and deletes audio that is not kept. */
export class TranscriptionEnds {
  readonly #options: TranscriptionEndsOptions;

  constructor(options: TranscriptionEndsOptions) {
    this.#options = options;
  }

  /**
   * From now on, and once for what an earlier process has left: files that were not complete, audio without a transcription, and audio
   * that is not kept. Call it before the jobs start, which fetch audio.
   */
  async start(): Promise<void> {
    const { transcriptions, audio, log } = this.#options;
    transcriptions.onOver((_, transcription) => {
      if (transcription !== undefined) void this.#onOver(transcription);
    });
    await audio.removePartial();
    let orphans = 0;
    const kept: Transcription[] = [];
    for (const id of await audio.ids()) {
      const transcription = await transcriptions.find(id);
      if (transcription === undefined) {
        await audio.removeHere(id);
        orphans += 1;
      } else if (!(await this.#deleteUnkept(transcription))) kept.push(transcription);
    }
    if (orphans > 0) log.warn({ files: orphans }, "audio without a transcription was deleted");
    // Once their jobs run, files of those that are not over are in use.
    await this.#adopt(kept.filter(({ endedAtMs }) => endedAtMs === undefined));
    void this.#adopt(kept.filter(({ endedAtMs }) => endedAtMs !== undefined));
  }

  /** Brings what earlier processes have left on this disk to the bucket, if there is one. Never rejects: the next start tries again. */
  async #adopt(transcriptions: readonly Transcription[]): Promise<void> {
    const { audio, log } = this.#options;
    if (!audio.isShared) return;
    try {
      // A copy of a recording is made again from that.
      for (const { id, source } of transcriptions) await (source === "call" ? audio.removeHere(id) : audio.adopt(id));
    } catch (error) {
      log.warn({ err: error, code: codeOf(error) }, "audio of transcriptions could not be brought to the bucket");
    }
  }

  async #onOver(transcription: Transcription): Promise<void> {
    const { metrics, log, clock } = this.#options;
    const {
      id: transcriptionId,
      accountId,
      source,
      status,
      failure,
      durationMs,
      createdAtMs,
      usage = [],
    } = transcription;
    const used = new Map<string, number>();
    for (const { provider, audioSeconds = 0 } of usage) used.set(provider, (used.get(provider) ?? 0) + audioSeconds);
    metrics.transcriptionEnded(status as TranscriptionEnd, used);
    const tookMs = Math.round(elapsedMs(createdAtMs, transcription.endedAtMs ?? clock.epochMs()));
    const reason = failure === undefined ? {} : { code: failure.code };
    log.info({ transcriptionId, accountId, source, status, durationMs, tookMs, ...reason }, "transcription finished");
    await this.#deleteUnkept(transcription);
  }

  /** Resolves with whether it was to be deleted. Never rejects: the next start tries again, and in the bucket the check of files. */
  async #deleteUnkept(transcription: Transcription): Promise<boolean> {
    const { transcriptions, audio, encryptsMedia, log } = this.#options;
    const { id, endedAtMs } = transcription;
    if (endedAtMs === undefined || keepsAudio(transcription, encryptsMedia)) return false;
    try {
      await audio.remove(id);
      await transcriptions.audioDeleted(id);
    } catch (error) {
      const transcriptionId: TranscriptionId = id;
      log.error({ transcriptionId, err: error, code: codeOf(error) }, "audio of a transcription could not be deleted");
    }
    return true;
  }
}
