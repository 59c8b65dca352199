import { SpeechDetector } from "../../call/turn-taking/speech-detector.ts";
import { PlaybackClock } from "../../media/playback-clock.ts";
import type { JournaledCommand, JournalHeader, JournalRecord, OccasionalEvent, Redacted } from "../journal/records.ts";

/** What is told in place of single frames. Times are whole milliseconds since redemption. */
export type DerivedEvent =
  /** The call took it that the caller speaks, and has done so since `startMs`. */
  | { kind: "speech-started"; startMs: number }
  /** The call took it that the caller stopped at `endMs`. */
  | { kind: "speech-ended"; endMs: number }
  /** The first frame of a reply was sent; or the next one, after the far end had run dry. */
  | { kind: "playout-started"; turnId: number }
  /** The far end has played what it had of the reply, or was told to drop it; so much audio was sent since it began. */
  | { kind: "playout-ended"; turnId: number; sentMs: number };

/** What providers did stands in the record, summed up, and pongs come all the time: neither says why the call did what it did. */
type Unlisted = { kind: "usage" | "pong" };

/** One thing that happened in a call, or that the call did about it, `atMs` whole milliseconds since redemption. */
export type ListedEvent =
  | ({ atMs: number; source: "event" } & ((Exclude<OccasionalEvent, Unlisted> & Redacted) | DerivedEvent))
  | ({ atMs: number; source: "command" } & JournaledCommand);

/** Audio of one reply that the far end has not played to its end. */
interface PlayingReply {
  turnId: number;
  sentMs: number;
  /** When it will have been played. */
  untilMs: number;
}

/**
 * Lists the events and commands of a journal in the order of time, and between them what its frames come to: the
 * beginning and the end of the caller's voice, by the detector and the parameters of the call, and of what the far end
 * plays, by the clock that the recording goes by. When the call ends, both have ended. The same records give the same
 * list.
 */
export class EventLister {
  readonly #emit: (event: ListedEvent) => void;
  readonly #detector: SpeechDetector;
  readonly #playback: PlaybackClock;
  readonly #rateHz: number;
  #playing: PlayingReply | undefined;
  #ended = false;

  constructor({ leg, parameters }: JournalHeader, tell: (event: ListedEvent) => void) {
    this.#emit = tell;
    this.#detector = new SpeechDetector(parameters);
    this.#playback = new PlaybackClock(leg.outboundRateHz);
    this.#rateHz = leg.outboundRateHz;
  }

  /** The call's end has been listed: nothing comes behind it. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Takes the records behind the header, in order. */
  take(record: Exclude<JournalRecord, { kind: "header" }>): void {
    const { timeMs } = record;
    if (this.#playing !== undefined && timeMs > this.#playing.untilMs) this.#onAudioEnded(this.#playing.untilMs);
    switch (record.kind) {
      case "frame-in":
        this.#onFrameIn(record.isSpeech, record.mediaMs, timeMs);
        return;
      case "frame-out":
        this.#onFrameOut(record.turnId, record.samples, timeMs);
        return;
      case "event":
        if (record.event.kind === "usage" || record.event.kind === "pong") return;
        this.#emit({ atMs: Math.round(timeMs), source: "event", ...record.event });
        // As the call does it: a voice whose frames fail to come ends by a deadline, and deadlines come as ticks.
        if (record.event.kind === "tick" && timeMs >= this.#detector.deadlineMs) this.#onFramesStopped(timeMs);
        return;
      case "command":
        this.#onCommand(record.command, timeMs);
        return;
    }
  }

  #onFrameIn(voiced: boolean, mediaMs: number, timeMs: number): void {
    const change = this.#detector.frame(voiced, mediaMs, timeMs);
    if (change === "started") {
      const startMs = Math.round(this.#detector.speechStartMs);
      this.#emit({ atMs: Math.round(timeMs), source: "event", kind: "speech-started", startMs });
    } else if (change === "ended") this.#onSpeechEnded(timeMs);
  }

  #onFramesStopped(timeMs: number): void {
    this.#detector.framesStopped();
    this.#onSpeechEnded(timeMs);
  }

  #onSpeechEnded(timeMs: number): void {
    const endMs = Math.round(this.#detector.lastSpeechMs);
    this.#emit({ atMs: Math.round(timeMs), source: "event", kind: "speech-ended", endMs });
  }

  #onFrameOut(turnId: number, samples: number, timeMs: number): void {
    if (this.#playing !== undefined && this.#playing.turnId !== turnId) this.#onAudioEnded(timeMs);
    if (this.#playing === undefined) {
      this.#playing = { turnId, sentMs: 0, untilMs: timeMs };
      this.#emit({ atMs: Math.round(timeMs), source: "event", kind: "playout-started", turnId });
    }
    const frameMs = (samples * 1_000) / this.#rateHz;
    this.#playing.sentMs += frameMs;
    this.#playing.untilMs = this.#playback.sent(samples, timeMs) + frameMs;
  }

  #onAudioEnded(timeMs: number): void {
    if (this.#playing === undefined) return;
    const { turnId, sentMs } = this.#playing;
    this.#playing = undefined;
    this.#emit({
      atMs: Math.round(timeMs),
      source: "event",
      kind: "playout-ended",
      turnId,
      sentMs: Math.round(sentMs),
    });
  }

  #onCommand(command: JournaledCommand, timeMs: number): void {
    if (command.kind === "end") {
      if (this.#detector.speaking) this.#onFramesStopped(timeMs);
      this.#onAudioEnded(timeMs);
      this.#ended = true;
    }
    this.#emit({ atMs: Math.round(timeMs), source: "command", ...command });
    if (command.kind !== "cancel-reply" || !command.clear) return;
    this.#playback.flush(timeMs);
    this.#onAudioEnded(timeMs);
  }
}
