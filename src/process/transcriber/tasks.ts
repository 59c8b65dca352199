import type { AccountProviders } from "../../core/accounts/account-providers.ts";
import type { Clock } from "../../core/clock.ts";
import { unavailable } from "../../core/errors.ts";
import type { PartKey } from "../../core/transcriptions/part.ts";
import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import type { ResamplerFactory } from "../../media/resampler.ts";
import type { VoiceActivityDetection } from "../../media/voice-activity/detector.ts";
import type { AccountBatchStt } from "../../speech/stt/batch/contract.ts";
import type { BatchNeeds } from "../../speech/stt/batch/create.ts";
import type { StoredPart } from "../../store/transcription-store.ts";
import { joinParts } from "../../transcription/join/join-parts.ts";
import { transcribeFile } from "../../transcription/parts/transcribe-file.ts";
import type { TranscriptionTask } from "../../transcription/transcriber.ts";
import { serializeError } from "../renderer/messages.ts";
import type { FromTranscriber, ToTranscriber } from "./messages.ts";

export interface TranscriberTasksOptions {
  sttOf: (account: AccountProviders, needs: BatchNeeds) => Promise<AccountBatchStt>;
  voiceActivity: VoiceActivityDetection;
  makeResampler: ResamplerFactory;
  /** The FFmpeg program; undefined where it is not installed. */
  ffmpeg: string | undefined;
  clock: Clock;
  send: (message: FromTranscriber) => void;
}

type WithoutNumber<Message> = Message extends { number: number } ? Omit<Message, "number" | "id"> : never;

/** One transcription in this process. */
interface Running {
  stop: AbortController;
  /** What the control process has not stored yet, by its number. */
  waiting: Map<number, { resolve: () => void; reject: (error: Error) => void }>;
}

/** The transcriptions of this process. It has no state beyond them: the control process stores what is transcribed. */
export class TranscriberTasks {
  readonly #options: TranscriberTasksOptions;
  readonly #running = new Map<number, Running>();
  #number = 0;

  constructor(options: TranscriberTasksOptions) {
    this.#options = options;
  }

  handle(message: ToTranscriber): void {
    const { id } = message;
    const running = this.#running.get(id);
    if (message.kind === "transcribe") void this.#run(id, message.task);
    else if (message.kind === "stop") stop(running);
    else {
      const waiting = running?.waiting.get(message.number);
      running?.waiting.delete(message.number);
      if (message.isOver) waiting?.reject(new Error("the transcription is over"));
      else waiting?.resolve();
    }
  }

  async #run(id: number, task: TranscriptionTask): Promise<void> {
    const { send } = this.#options;
    const running: Running = { stop: new AbortController(), waiting: new Map() };
    this.#running.set(id, running);
    try {
      send({ kind: "completed", id, result: await this.#transcribe(id, task, running) });
    } catch (error) {
      send({ kind: "failed", id, failure: serializeError(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  async #transcribe(id: number, task: TranscriptionTask, running: Running): Promise<TranscriptionResult> {
    const { sttOf, send, ...means } = this.#options;
    const parts = new Map<string, StoredPart>(task.parts.map((part) => [nameOf(part), part]));
    /** An attempt before may have cut the file elsewhere: with other providers, or another detector of speech. */
    const cut = new Set<string>();
    const stt = await sttOf(task.account, task.options);
    const decoded = await transcribeFile({
      ...means,
      path: task.path,
      options: task.options,
      stt,
      signal: running.stop.signal,
      isTranscribed: (part) => {
        cut.add(nameOf(part));
        return parts.get(nameOf(part))?.outcome !== undefined;
      },
      onProgress: (doneMs, durationMs) => send({ kind: "progress", id, doneMs, durationMs }),
      onRequest: async (part, provider) => {
        await this.#stored(id, running, { kind: "requesting", part, provider });
        const requests = (parts.get(nameOf(part))?.requests ?? 0) + 1;
        parts.set(nameOf(part), { ...part, requests });
      },
      onTranscribed: async (part, outcome) => {
        await this.#stored(id, running, { kind: "transcribed", part, outcome });
        parts.set(nameOf(part), { ...part, requests: parts.get(nameOf(part))?.requests ?? 1, outcome });
      },
    });
    const joinable = [...parts].flatMap(([name, { outcome, ...part }]) =>
      outcome !== undefined && cut.has(name) ? [{ ...part, outcome }] : [],
    );
    return joinParts(joinable, { options: task.options, ...decoded });
  }

  /** Resolves when the control process has stored what the message says; rejects where the transcription is over. */
  #stored(id: number, { waiting }: Running, message: WithoutNumber<FromTranscriber>): Promise<void> {
    this.#number += 1;
    const number = this.#number;
    return new Promise<void>((resolve, reject) => {
      waiting.set(number, { resolve, reject });
      this.#options.send({ ...message, id, number });
    });
  }
}

/** Nothing is stored any more for what is waiting. */
function stop(running: Running | undefined): void {
  const over = unavailable("the transcription is over");
  running?.stop.abort(over);
  for (const { reject } of running?.waiting.values() ?? []) reject(over);
}

const nameOf = ({ channel, startMs, endMs }: PartKey): string => `${channel} ${startMs} ${endMs}`;
