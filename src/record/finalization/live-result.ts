import type { CallEvent } from "../../call/events.ts";
import type { UtteranceUpdate } from "../../core/calls/transcript.ts";
import { joinAllTexts } from "../../core/text/words.ts";
import { estimateTimes } from "../../core/transcriptions/estimated-times.ts";
import { labelledWordsOf } from "../../core/transcriptions/redacted-result.ts";
import type { TranscribedPart, TranscriptionResult } from "../../core/transcriptions/result.ts";
import type { JournaledCommand, JournalRecord } from "../journal/records.ts";
import type { RecordedUsage } from "./preemptive-usage.ts";

type Switch = Extract<CallEvent, { kind: "provider-switched" }>;

/** What a provider of the STT has transcribed, before its part's beginning and usage are known. */
interface Served {
  provider: string;
  /** Where its last utterance ends; undefined where it has none. */
  endMs: number | undefined;
}

/** Gathers from a journal which provider of the STT a live transcription had when. */
export class SttProviders {
  readonly #served: Served[] = [];
  #endMs: number | undefined;

  take(record: JournalRecord): void {
    if (record.kind === "command") this.#takeCommand(record.command);
    else if (record.kind === "event" && record.event.kind === "provider-switched") this.#takeSwitch(record.event);
  }

  #takeCommand(command: JournaledCommand): void {
    if (command.kind === "utterance") this.#endMs = command.endMs;
  }

  #takeSwitch({ stage, from, to }: Switch): void {
    if (stage !== "stt") return;
    const current = this.#served.at(-1);
    if (current === undefined) this.#served.push({ provider: from, endMs: this.#endMs });
    else current.endMs = this.#endMs ?? current.endMs;
    this.#endMs = undefined;
    this.#served.push({ provider: to, endMs: undefined });
  }

  /** The stretches of the audio, one after the other; `first` is the provider of a transcription that had no other. */
  parts(durationMs: number, usage: readonly RecordedUsage[]): TranscribedPart[] {
    const ofStt = usage.filter(({ stage }) => stage === "stt");
    const first = ofStt[0]?.provider;
    const served =
      this.#served.length > 0 || first === undefined ? this.#served : [{ provider: first, endMs: undefined }];
    const counted = new Set<string>();
    let startMs = 0;
    return served.map(({ provider, endMs }, index) => {
      const isFirst = !counted.has(provider);
      counted.add(provider);
      const part = {
        channel: 0,
        startMs,
        endMs: index === served.length - 1 ? durationMs : Math.max(startMs, endMs ?? startMs),
        provider,
        requests: 1,
        usage: isFirst
          ? ofStt.filter((used) => used.provider === provider).map((used) => ({ provider, ...used.usage }))
          : [],
      };
      startMs = part.endMs;
      return part;
    });
  }
}

/** The result of a live transcription in `language`, from the commands of its journal. */
export function liveResultOf(
  commands: readonly JournaledCommand[],
  language: string,
  providers: SttProviders,
  usage: readonly RecordedUsage[],
): TranscriptionResult {
  const spoken = commands.filter(
    (command): command is UtteranceUpdate => command.kind === "utterance" && command.text !== "",
  );
  const end = commands.findLast((command) => command.kind === "end");
  const durationMs = end?.audioMs ?? spoken.at(-1)?.endMs ?? 0;
  return {
    text: joinAllTexts(spoken.map(({ text }) => text)),
    language,
    durationMs,
    channels: 1,
    utterances: spoken.map(({ text, startMs, endMs }) => ({ text, startMs, endMs, channel: 0 })),
    words: spoken.flatMap(({ text, startMs, endMs, language: detected }) =>
      estimateTimes(labelledWordsOf(text, detected ?? language), [{ startMs, endMs }]).map((word) => ({
        ...word,
        channel: 0,
      })),
    ),
    hasEstimatedTimes: true,
    parts: providers.parts(durationMs, usage),
  };
}
