import { addMs, type CallMs, elapsedMs, type MediaMs, roundedMs } from "../../core/clocks.ts";
import type { TurnId } from "../../core/ids.ts";
import { type PassageReference, referenceOf, withoutNames } from "../../core/knowledge/call-knowledge.ts";
import { AUDIO_GAP_MS_MIN } from "../../core/limits/streams/caller-audio.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { PlaybackClock } from "../../media/playback-clock.ts";
import { SpeechSegmenter } from "../../media/voice-activity/segmenter.ts";
import { isClear } from "../journal/clears.ts";
import type {
  JournaledCommand,
  JournaledEvent,
  JournalHeader,
  JournalRecord,
  OccasionalEvent,
  Redacted,
} from "../journal/records.ts";

/** Events derived from frames, in place of the frames themselves. Times are whole milliseconds since redemption. */
export type DerivedEvent =
  /** The call's detector decided that the caller speaks, since `startMs`. */
  | { kind: "speech-started"; startMs: CallMs }
  /** The call's detector decided that the caller stopped speaking at `endMs`. */
  | { kind: "speech-ended"; endMs: CallMs }
  /** The first frame of a reply, or of hold audio or DTMF tones (NO_REPLY_TURN_ID), was sent, or the next one after the peer's buffer had run dry. */
  | { kind: "playout-started"; turnId: TurnId }
  /**
   * The peer has played all that it had of the reply, or was ordered to drop it. `sentMs` is the audio sent since
   * playout started.
   */
  | { kind: "playout-ended"; turnId: TurnId; sentMs: number }
  /**
   * No audio of the caller had arrived for `gapMs`: until now, or until the stream was lost or the call ended. `lostMs` of it never came;
   * the rest came later than it should have.
   */
  | { kind: "audio-gap"; gapMs: number; lostMs: number };

/**
 * The record sums up usage and reports of the network, pongs arrive all the time, and a transcript repeats what other
 * events say. None explains a decision of the call.
 */
type Unexplaining = "usage" | "network" | "pong" | "transcript";
/** The list is of conversations. */
type OfTranscriptions = "finalize-requested" | "interim" | "utterance" | "finalize-stt";
type Unlisted = { kind: Unexplaining | OfTranscriptions };

const UNLISTED: readonly string[] = [
  "usage",
  "network",
  "pong",
  "transcript",
  "finalize-requested",
  "interim",
  "utterance",
  "finalize-stt",
] satisfies Unlisted["kind"][];

/** Of what was found only where it stands: its text is in the documents, and often long. */
type ListedPassages = Omit<Extract<OccasionalEvent, { kind: "passages" }>, "passages"> & {
  passages: readonly PassageReference[];
};

const isListed = <T extends { kind: string }>(of: T): of is Exclude<T, Unlisted> => !UNLISTED.includes(of.kind);

/** An event or a command of a call, `atMs` whole milliseconds since redemption. */
export type ListedEvent =
  | ({ atMs: CallMs; source: "event" } & (
      | (Exclude<OccasionalEvent, Unlisted | { kind: "passages" }> & Redacted)
      | ListedPassages
      | DerivedEvent
    ))
  | ({ atMs: CallMs; source: "command" } & Exclude<JournaledCommand, Unlisted>);

function listed(
  event: Exclude<JournaledEvent, Unlisted>,
): Exclude<JournaledEvent, Unlisted | { kind: "passages" }> | ListedPassages {
  if (event.kind !== "passages") return event;
  const { kind, retrieval, tookMs, passages, chars } = event;
  const references = passages.map(referenceOf);
  return { kind, retrieval, tookMs, passages: chars === undefined ? references : references.map(withoutNames) };
}

/** Audio of one reply that the peer has not played to its end. */
interface PlayingReply {
  turnId: TurnId;
  sentMs: number;
  /** When its playout is complete. */
  untilMs: CallMs;
}

/**
 * Lists the events and commands of a journal in the order of time, together with the events derived from its frames.
 * The start and end of the caller's speech come from the segmenter with the call's parameters. The start and end of
 * playout come from the clock that also places the agent's audio in the recording. When the call ends, both have ended.
 * The same records always give the same list.
 */
export class EventLister {
  readonly #emit: (event: ListedEvent) => void;
  readonly #segmenter: SpeechSegmenter;
  readonly #playback: PlaybackClock;
  readonly #rateHz: number;
  #playing: PlayingReply | undefined;
  /** When the caller's last frame arrived, and its place by the peer's clock. Undefined before the first one of an attachment. */
  #lastFrame: { timeMs: CallMs; mediaMs: MediaMs } | undefined;
  #ended = false;
  /** The caller is on hold, and the agent hears nothing. */
  #isHeld = false;

  constructor({ leg, parameters }: JournalHeader, emit: (event: ListedEvent) => void) {
    this.#emit = emit;
    this.#segmenter = new SpeechSegmenter(parameters);
    this.#playback = new PlaybackClock(leg.outboundRateHz);
    this.#rateHz = leg.outboundRateHz;
  }

  /** The call's end has been listed, and nothing follows it. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Takes the records after the header, in order. */
  take(record: Exclude<JournalRecord, { kind: "header" }>): void {
    const { timeMs } = record;
    if (this.#playing !== undefined && timeMs > this.#playing.untilMs) this.#onPlayoutEnded(this.#playing.untilMs);
    switch (record.kind) {
      case "frame-in":
        this.#onFrameIn(record.isSpeech, record.mediaMs, timeMs);
        return;
      case "frame-out":
        this.#onFrameOut(record.turnId, record.samples, timeMs);
        return;
      case "attached":
        this.#lastFrame = undefined;
        return;
      case "event":
        if (record.event.kind === "leg-detached") this.#onAudioStopped(timeMs);
        if (!isListed(record.event)) return;
        this.#emit({ atMs: roundedMs(timeMs), source: "event", ...listed(record.event) });
        // As in the call: speech whose frames stop arriving ends by a deadline, which is checked at ticks.
        if (record.event.kind === "leg-detached") this.#onDetached(timeMs);
        if (record.event.kind === "tick" && timeMs >= this.#segmenter.deadlineMs) this.#onFramesStopped(timeMs);
        return;
      case "command":
        this.#onCommand(record.command, timeMs);
        return;
    }
  }

  #onFrameIn(isSpeech: boolean, mediaMs: MediaMs, timeMs: CallMs): void {
    if (this.#lastFrame !== undefined)
      this.#onGap(timeMs, Math.max(0, elapsedMs(this.#lastFrame.mediaMs, mediaMs) - FRAME_MS));
    this.#lastFrame = { timeMs, mediaMs };
    const edge = this.#segmenter.frame(isSpeech && !this.#isHeld, mediaMs, timeMs);
    if (edge === "started") {
      const startMs = roundedMs(this.#segmenter.speechStartMs);
      this.#emit({ atMs: roundedMs(timeMs), source: "event", kind: "speech-started", startMs });
    } else if (edge === "ended") this.#onSpeechEnded(timeMs);
  }

  /** The stream is lost, or the call is over: what has not arrived by now never will. */
  #onAudioStopped(timeMs: CallMs): void {
    if (this.#lastFrame !== undefined) this.#onGap(timeMs, elapsedMs(this.#lastFrame.timeMs, timeMs));
    this.#lastFrame = undefined;
  }

  #onGap(timeMs: CallMs, lostMs: number): void {
    if (this.#lastFrame === undefined) return;
    const gapMs = elapsedMs(this.#lastFrame.timeMs, timeMs);
    if (gapMs < AUDIO_GAP_MS_MIN) return;
    this.#emit({
      atMs: roundedMs(timeMs),
      source: "event",
      kind: "audio-gap",
      gapMs: Math.round(gapMs),
      lostMs: Math.round(Math.min(lostMs, gapMs)),
    });
  }

  #onFramesStopped(timeMs: CallMs): void {
    this.#segmenter.framesStopped();
    this.#onSpeechEnded(timeMs);
  }

  #onSpeechEnded(timeMs: CallMs): void {
    const endMs = roundedMs(this.#segmenter.lastSpeechMs);
    this.#emit({ atMs: roundedMs(timeMs), source: "event", kind: "speech-ended", endMs });
  }

  /** As in the call: the caller's speech ends, and what has not been played never will be. */
  #onDetached(timeMs: CallMs): void {
    if (this.#segmenter.isSpeaking) this.#onFramesStopped(timeMs);
    this.#playback.flush(timeMs);
    this.#onPlayoutEnded(timeMs);
  }

  #onFrameOut(turnId: TurnId, samples: number, timeMs: CallMs): void {
    if (this.#playing !== undefined && this.#playing.turnId !== turnId) this.#onPlayoutEnded(timeMs);
    if (this.#playing === undefined) {
      this.#playing = { turnId, sentMs: 0, untilMs: timeMs };
      this.#emit({ atMs: roundedMs(timeMs), source: "event", kind: "playout-started", turnId });
    }
    const frameMs = (samples * 1_000) / this.#rateHz;
    this.#playing.sentMs += frameMs;
    this.#playing.untilMs = addMs(this.#playback.sent(samples, timeMs), frameMs);
  }

  #onPlayoutEnded(timeMs: CallMs): void {
    if (this.#playing === undefined) return;
    const { turnId, sentMs } = this.#playing;
    this.#playing = undefined;
    this.#emit({
      atMs: roundedMs(timeMs),
      source: "event",
      kind: "playout-ended",
      turnId,
      sentMs: Math.round(sentMs),
    });
  }

  #onCommand(command: JournaledCommand, timeMs: CallMs): void {
    if (!isListed(command)) return;
    // As in the call: a turn that is over before the hangover has passed ends the speech.
    if (command.kind === "turn-ended" && this.#segmenter.isSpeaking) {
      this.#segmenter.endSpeech();
      this.#onSpeechEnded(timeMs);
    }
    if (command.kind === "resumed") this.#isHeld = false;
    if (command.kind === "held") {
      this.#isHeld = true;
      if (this.#segmenter.isSpeaking) this.#onFramesStopped(timeMs);
    }
    if (command.kind === "end") {
      this.#onAudioStopped(timeMs);
      if (this.#segmenter.isSpeaking) this.#onFramesStopped(timeMs);
      this.#onPlayoutEnded(timeMs);
      this.#ended = true;
    }
    this.#emit({ atMs: roundedMs(timeMs), source: "command", ...command });
    if (!isClear(command)) return;
    this.#playback.flush(timeMs);
    this.#onPlayoutEnded(timeMs);
  }
}
