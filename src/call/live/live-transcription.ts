import { strict as assert } from "node:assert";
import type { HoldRefusal } from "../../core/calls/hold.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import type { RecordingRefusal } from "../../core/calls/recording-pause.ts";
import type { CallSpec } from "../../core/calls/spec.ts";
import { addMs, type CallMs, callMs, earliest, elapsedMs, type MediaMs } from "../../core/clocks.ts";
import { LEG_START_MS_MAX } from "../../core/limits/streams/connections.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { LAST_FINAL_MS, LIVE_PAUSE_MS_MIN } from "../../core/limits/transcriptions/transcriptions.ts";
import { joinTexts } from "../../core/text/words.ts";
import { SpeechSegmenter } from "../../media/voice-activity/segmenter.ts";
import type { SegmentState } from "../../media/voice-activity/speech-activity.ts";
import { hasFinalForEach } from "../../speech/stt/utterance-finals.ts";
import type { CallMachine, CallOptions } from "../call.ts";
import type { CallEvent, CallSink } from "../events.ts";
import { DEFAULT_TURN_PARAMETERS, type TurnParameters } from "../parameters.ts";
import { withoutAnsweredPrefix } from "../turn-taking/caller-turn.ts";
import { AudioTimeline } from "./audio-timeline.ts";
import { SpokenStretches } from "./spoken-stretches.ts";

const NEVER = callMs(Number.POSITIVE_INFINITY);

/** A final that was asked for, until it has come. */
interface Finalization {
  /** Then the interim counts, or nothing was said. */
  readonly dueMs: CallMs;
  /** The transcription ends with it. */
  readonly endReason: EndReason | undefined;
}

/**
 * A live transcription as a state machine, in place of `Call`: whatever is said becomes utterances, and nothing is answered. Speech is
 * divided by its pauses alone, with the segmenter of a call: a call ends speech sooner where a reply is wanted, which here would only
 * cut sentences. A final transcript ends an utterance.
 */
export class LiveTranscription implements CallMachine {
  readonly #spec: CallSpec;
  readonly #parameters: Readonly<TurnParameters>;
  readonly #sink: CallSink;
  readonly #segmenter: SpeechSegmenter;
  readonly #timeline = new AudioTimeline();
  readonly #stretches: SpokenStretches;
  #isStarted = false;
  #isDetached = false;
  #ended = false;
  #nowMs = callMs(0);
  /** The words of the STT's utterance so far. */
  #interim = "";
  /** The beginning of the STT's utterance that has become final without the STT; usually empty. */
  #finalPrefix = "";
  #finalization: Finalization | undefined;

  constructor({ spec, parameters = DEFAULT_TURN_PARAMETERS, sttHasInterim, sttFinalPerUtterance, sink }: CallOptions) {
    this.#spec = spec;
    this.#parameters = parameters;
    this.#sink = sink;
    this.#segmenter = new SpeechSegmenter({ ...parameters, frameLossMs: LIVE_PAUSE_MS_MIN });
    const finals = { interimTranscripts: sttHasInterim, finalPerUtterance: sttFinalPerUtterance };
    this.#stretches = new SpokenStretches(hasFinalForEach(finals));
  }

  get nextDeadlineMs(): CallMs {
    if (this.#ended) return NEVER;
    return earliest(
      this.#maxDurationMs,
      this.#legStartMs,
      this.#segmenter.deadlineMs,
      this.#finalization?.dueMs ?? NEVER,
    );
  }

  isDue(nowMs: CallMs): boolean {
    return nowMs >= this.nextDeadlineMs;
  }

  get callerSpeech(): SegmentState {
    return this.#segmenter;
  }

  get audioMs(): number {
    return Math.round(this.#timeline.endMs);
  }

  readonly isHeld = false;
  readonly isRecordingPaused = false;
  readonly snapshot = undefined;

  holdRefusal(): HoldRefusal {
    return "not_live";
  }

  /** It sends nothing. */
  canSendTones(): boolean {
    return false;
  }

  recordingRefusal(): RecordingRefusal {
    return "not_live";
  }

  get #legStartMs(): CallMs {
    return this.#isStarted ? NEVER : callMs(LEG_START_MS_MAX);
  }

  /** Infinity once it is about to end. */
  get #maxDurationMs(): CallMs {
    return this.#finalization?.endReason === undefined ? callMs(this.#spec.maxDurationMs) : NEVER;
  }

  handle(event: CallEvent, nowMs: CallMs): void {
    if (this.#ended) return;
    assert.ok(nowMs >= this.#nowMs, "time must not go backwards");
    this.#nowMs = nowMs;
    if (nowMs >= this.#maxDurationMs) this.#finalize("max_duration");
    if (!this.#ended) this.#dispatch(event);
  }

  #dispatch(event: CallEvent): void {
    switch (event.kind) {
      case "frame-in":
        this.#onFrame(event.isSpeech, event.mediaMs);
        return;
      case "tick":
        this.#onTick();
        return;
      case "leg-started":
        this.#onStarted();
        return;
      case "leg-detached":
        this.#isDetached = true;
        this.#endSpeech();
        return;
      case "stt-interim":
        this.#onInterim(event.text);
        return;
      case "stt-final":
        this.#onFinal(event.text, event.language);
        return;
      case "finalize-requested":
        this.#finalize(event.endReason);
        return;
      case "goodbye-requested":
        this.#finalize(event.reason);
        return;
      case "leg-closed":
        // It is ending, and its client does not wait for that.
        this.#end(this.#finalization?.endReason ?? event.reason);
        return;
      case "end-requested":
        this.#end(event.reason);
        return;
      case "stt-failed":
        this.#end("provider_error");
        return;
      case "limit-reached":
        this.#end("spend_limit");
        return;
      case "internal-error":
        this.#end("worker_lost");
        return;
      default:
        // Only recorded, or of a conversation.
        return;
    }
  }

  #onStarted(): void {
    if (this.#isStarted) this.#timeline.streamStarted();
    this.#isStarted = true;
    this.#isDetached = false;
  }

  #onFrame(isSpeech: boolean, mediaMs: MediaMs): void {
    this.#timeline.frame(mediaMs);
    // What comes after the client's `end` is not meant to be transcribed.
    const isMeant = this.#finalization?.endReason === undefined;
    const edge = this.#segmenter.frame(isSpeech && isMeant, mediaMs, this.#nowMs);
    if (edge === "started") this.#onSpeechStarted();
    if (edge === "ended") this.#stretches.stopped();
    else if (this.#segmenter.isSpeaking && this.#segmenter.isSpeech) this.#stretches.voiced(this.#timeline.endMs);
  }

  #onSpeechStarted(): void {
    const agoMs = elapsedMs(this.#segmenter.speechStartMs, this.#nowMs) + FRAME_MS;
    this.#stretches.started(Math.max(0, this.#timeline.endMs - agoMs), this.#interim !== "");
  }

  #onTick(): void {
    if (this.#nowMs >= this.#legStartMs) {
      this.#end("protocol_error");
      return;
    }
    if (this.#nowMs >= this.#segmenter.deadlineMs) this.#endSpeech();
    if (this.#finalization !== undefined && this.#nowMs >= this.#finalization.dueMs) this.#finalizationDue();
  }

  /** No more frames of the current speech come, or it is over in any case. */
  #endSpeech(): void {
    if (!this.#segmenter.isSpeaking) return;
    this.#segmenter.framesStopped();
    this.#stretches.stopped();
  }

  #onInterim(transcript: string): void {
    const text = this.#withoutFinalPrefix(transcript, false);
    if (text === "" || text === this.#interim) return;
    this.#interim = text;
    this.#sink({ kind: "interim", text, startMs: Math.round(this.#stretches.startMs(this.#timeline.endMs)) });
  }

  #onFinal(transcript: string, language: string | undefined): void {
    const text = this.#withoutFinalPrefix(transcript, true);
    this.#finalPrefix = "";
    const isShown = text !== "" || this.#interim !== "";
    this.#interim = "";
    // Nothing is pending where the words of this final were made an utterance before it came.
    if (isShown) this.#utter(text, language);
    else if (this.#stretches.hasEnded) this.#stretches.take(this.#timeline.endMs);
    this.#finalCame(isShown);
  }

  /** Makes `text` an utterance, of what was said and is not final. */
  #utter(text: string, language?: string): void {
    const { startMs, endMs } = this.#stretches.take(this.#timeline.endMs);
    const detected = language === undefined ? {} : { language };
    this.#sink({ kind: "utterance", text, startMs: Math.round(startMs), endMs: Math.round(endMs), ...detected });
  }

  /** The words after those that are final already. */
  #withoutFinalPrefix(text: string, final: boolean): string {
    const rest = withoutAnsweredPrefix({ text, final }, this.#finalPrefix, this.#spec.language, false);
    this.#finalPrefix = rest.answered;
    return rest.text;
  }

  #finalize(endReason: EndReason | undefined): void {
    const before = this.#finalization;
    if (!this.#isStarted || this.#isDetached) {
      if (endReason !== undefined) this.#end(endReason);
      return;
    }
    this.#endSpeech();
    if (before === undefined && !this.#stretches.hasEnded && this.#interim === "") {
      if (endReason === undefined) this.#utterNothing();
      else this.#end(endReason);
      return;
    }
    const dueMs = addMs(this.#nowMs, this.#parameters.finalWaitMs);
    this.#finalization = { dueMs: before?.dueMs ?? dueMs, endReason: before?.endReason ?? endReason };
    if (before === undefined) this.#sink({ kind: "finalize-stt" });
  }

  /** The answer to a request for a final where nothing was said. */
  #utterNothing(): void {
    const atMs = Math.round(this.#timeline.endMs);
    this.#sink({ kind: "utterance", text: "", startMs: atMs, endMs: atMs });
  }

  /** Whether the final that was asked for has come: one of what was said before may come first. `isShown`: the client has seen it. */
  #finalCame(isShown: boolean): void {
    const asked = this.#finalization;
    if (asked === undefined || this.#stretches.hasEnded) return;
    if (asked.endReason === undefined) {
      this.#finalization = undefined;
      if (!isShown) this.#utterNothing();
      return;
    }
    // A final that was on its way may have been of earlier words.
    this.#finalization = { ...asked, dueMs: earliest(asked.dueMs, addMs(this.#nowMs, LAST_FINAL_MS)) };
  }

  #finalizationDue(): void {
    const endReason = this.#finalization?.endReason;
    this.#finalization = undefined;
    if (endReason !== undefined) this.#end(endReason);
    else if (!this.#utterInterim()) {
      // The STT has found no words in it, and does not say so.
      this.#stretches.take(this.#timeline.endMs);
      this.#utterNothing();
    }
  }

  /** Makes the interim an utterance, because its final does not come; false where there is none. */
  #utterInterim(): boolean {
    if (this.#interim === "") return false;
    const text = this.#interim;
    this.#finalPrefix = joinTexts(this.#finalPrefix, text);
    this.#interim = "";
    this.#utter(text);
    return true;
  }

  /** Ends it, once, with one reason: what was said until now becomes an utterance, and `end` comes last. */
  #end(reason: EndReason): void {
    this.#ended = true;
    this.#endSpeech();
    this.#utterInterim();
    this.#sink({ kind: "end", reason, audioMs: this.audioMs });
  }
}
