import { addMs, type CallMs, callMs, elapsedMs, latest } from "../../core/clocks.ts";
import { NO_REPLY_TURN_ID, type TurnId } from "../../core/ids.ts";
import { type FrameCodec, silenceOf } from "../../media/frame-codec.ts";
import { PlaybackClock } from "../../media/playback-clock.ts";
import { isClear } from "../journal/clears.ts";
import type { JournalEncoder } from "../journal/format.ts";
import {
  audioSpecOf,
  type JournaledCommand,
  type JournaledEvent,
  type JournalHeader,
  type JournalRecord,
  type JournalRedaction,
  transcriptionSpecOf,
} from "../journal/records.ts";
import { eventWithoutWords, journaledWithoutWords } from "../journal/redact.ts";
import type { FoundInCall, Interval } from "./found.ts";
import { commandWithTexts, eventWithTexts, textsOfCommand, textsOfEvent } from "./texts.ts";

/** What the agent says may reach the caller's microphone this much later than it is played, ms. */
const ECHO_MS = 800;
const ECHO_EARLY_MS = 100;

export interface JournalRewriterOptions {
  header: JournalHeader;
  found: FoundInCall;
  redaction: JournalRedaction;
  encoder: JournalEncoder;
}

/** Writes the records of a journal again, in order, without what may not be kept of them. Each becomes one record of the same time and kind. */
export class JournalRewriter {
  readonly #header: JournalHeader;
  readonly #found: FoundInCall;
  readonly #redaction: JournalRedaction;
  readonly #encoder: JournalEncoder;
  readonly #texts: Iterator<string>;
  readonly #intervals: Intervals;
  readonly #playback: PlaybackClock;
  /** The next sample of each reply. */
  readonly #positions = new Map<TurnId, number>();
  #callerCodec: FrameCodec = "mulaw";
  /** Frames that belong to no reply may be DTMF tones, whose digits are not kept. */
  #mayHaveTones = false;
  /** Until then the caller's side may have an echo of what was redacted. */
  #echoFromMs = callMs(Number.POSITIVE_INFINITY);
  #echoToMs = callMs(Number.NEGATIVE_INFINITY);

  constructor({ header, found, redaction, encoder }: JournalRewriterOptions) {
    this.#header = header;
    this.#found = found;
    this.#redaction = redaction;
    this.#encoder = encoder;
    this.#texts = found.texts.values();
    this.#intervals = new Intervals(found.callerIntervals);
    this.#playback = new PlaybackClock(header.leg.outboundRateHz);
  }

  take(record: JournalRecord): void {
    const { timeMs } = record;
    switch (record.kind) {
      case "header":
        this.#encoder.header(this.#redactedHeader());
        return;
      case "attached":
        this.#encoder.attached(timeMs, record.attachment);
        return;
      case "frame-in": {
        const { mediaMs, isSpeech, audio, audioOmitted } = record;
        const kept = this.#isCallerSilenced(timeMs) ? silenceOf(this.#callerCodec, audio.length) : audio;
        this.#encoder.frameIn(timeMs, mediaMs, isSpeech, kept, audioOmitted);
        return;
      }
      case "frame-out":
        this.#frameOut(record);
        return;
      case "event":
        if (record.event.kind === "leg-started") this.#callerCodec = record.event.codec;
        if (record.event.kind === "leg-detached") this.#playback.flush(timeMs);
        this.#encoder.event(timeMs, this.#redactedEvent(record.event));
        return;
      case "command":
        this.command(timeMs, record.command);
        return;
    }
  }

  /** Writes a command of the journal, or one that is added to its end. */
  command(timeMs: CallMs, command: JournaledCommand): void {
    if (command.kind === "rewind")
      this.#positions.set(command.turnId, (this.#positions.get(command.turnId) ?? 0) - command.samples);
    if (command.kind === "send-dtmf" && command.inBand) this.#mayHaveTones = true;
    if (isClear(command)) this.#playback.flush(timeMs);
    this.#encoder.command(timeMs, this.#redactedCommand(command));
  }

  #frameOut({ timeMs, turnId, samples, audio, audioOmitted }: JournalRecord & { kind: "frame-out" }): void {
    const from = this.#positions.get(turnId) ?? 0;
    const to = from + samples;
    this.#positions.set(turnId, to);
    const playsMs = this.#playback.sent(samples, timeMs);
    const isFound = this.#found.agentRanges.get(turnId)?.some((range) => range[0] < to && range[1] > from) ?? false;
    const isSilenced = isFound || (turnId === NO_REPLY_TURN_ID && this.#mayHaveTones);
    if (isSilenced) {
      if (this.#echoToMs < timeMs) this.#echoFromMs = addMs(playsMs, -ECHO_EARLY_MS);
      this.#echoToMs = addMs(playsMs, (samples * 1_000) / this.#header.leg.outboundRateHz + ECHO_MS);
    }
    const kept = isSilenced ? silenceOf(this.#header.leg.outboundCodec, audio.length) : audio;
    this.#encoder.frameOut(timeMs, turnId, samples, kept, audioOmitted);
  }

  #isCallerSilenced(timeMs: CallMs): boolean {
    return (timeMs >= this.#echoFromMs && timeMs <= this.#echoToMs) || this.#intervals.has(timeMs);
  }

  /** Without the spec, whose prompt and values may be spoken: as that of a call whose words are not stored. */
  #redactedHeader(): JournalHeader {
    const { spec: _, ...header } = this.#header;
    const audio = audioSpecOf(this.#header);
    const transcription = transcriptionSpecOf(this.#header);
    return {
      ...header,
      ...(audio !== undefined && {
        audio: { connectionType: audio.connectionType, maxDurationMs: audio.maxDurationMs },
      }),
      ...(transcription !== undefined && { transcription }),
      redaction: this.#redaction,
    };
  }

  #redactedEvent(event: JournaledEvent): JournaledEvent {
    const texts = textsOfEvent(event).map(() => this.#nextText());
    return texts.length === 0 ? eventWithoutWords(event) : eventWithTexts(event, texts);
  }

  #redactedCommand(command: JournaledCommand): JournaledCommand {
    const texts = textsOfCommand(command).map(() => this.#nextText());
    return texts.length > 0 ? commandWithTexts(command, texts) : journaledWithoutWords(command);
  }

  #nextText(): string {
    return this.#texts.next().value ?? "";
  }
}

/** Intervals, asked for in the order of time. */
class Intervals {
  readonly #sorted: readonly Interval[];
  #at = 0;

  constructor(intervals: readonly Interval[]) {
    const sorted: Interval[] = [];
    for (const [fromMs, toMs] of [...intervals].sort(([a], [b]) => elapsedMs(b, a))) {
      const last = sorted.at(-1);
      if (last === undefined || last[1] < fromMs) sorted.push([fromMs, toMs]);
      else sorted.splice(-1, 1, [last[0], latest(last[1], toMs)]);
    }
    this.#sorted = sorted;
  }

  has(timeMs: CallMs): boolean {
    while ((this.#sorted[this.#at]?.[1] ?? timeMs) < timeMs) this.#at += 1;
    const interval = this.#sorted[this.#at];
    return interval !== undefined && interval[0] <= timeMs;
  }
}
