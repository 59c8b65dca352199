import type { CallMachine, CallOptions } from "../../call/call.ts";
import type { CallCommand, CallEvent } from "../../call/events.ts";
import { createCallMachine } from "../../call/machine.ts";
import type { HoldRefusal, HoldRequest } from "../../core/calls/hold.ts";
import type { RecordingRefusal, RecordingRequest } from "../../core/calls/recording-pause.ts";
import { type CallMs, callMs } from "../../core/clocks.ts";
import type { SegmentState } from "../../media/voice-activity/speech-activity.ts";
import type { JournalWriter } from "./writer.ts";

type FrameIn = Extract<CallEvent, { kind: "frame-in" }>;
type FrameOut = Extract<CallEvent, { kind: "frame-out" }>;

export interface JournaledCallOptions extends Omit<CallOptions, "sink"> {
  journal: JournalWriter;
  /** Carries out a command, at `eventMs`, while the state machine handles the event. */
  carryOut: (command: CallCommand) => void;
}

/**
 * The call's state machine and its journal. Each event is journaled and then handled; each command is journaled and
 * then carried out. A command that fails does not stop the state machine in the middle of an event, because the journal
 * could not be replayed then: the event is handled completely, and the failure is thrown afterwards. Times are ms since
 * redemption.
 */
export class JournaledCall {
  readonly #call: CallMachine;
  readonly #journal: JournalWriter;
  readonly #carryOut: (command: CallCommand) => void;
  /** The first failure of a command of the current event. */
  #failure: { error: unknown } | undefined;
  #eventMs = callMs(0);

  constructor({ journal, carryOut, ...options }: JournaledCallOptions) {
    this.#journal = journal;
    this.#carryOut = carryOut;
    this.#call = createCallMachine({ ...options, sink: (command) => this.#onCommand(command) });
  }

  /** The time of the latest event; its commands have the same time. */
  get eventMs(): CallMs {
    return this.#eventMs;
  }

  /** Whether the caller speaks, after the latest event. The object is live. */
  get callerSpeech(): SegmentState {
    return this.#call.callerSpeech;
  }

  /** How much audio a live transcription has had, ms; undefined for a conversation. */
  get audioMs(): number | undefined {
    return this.#call.audioMs;
  }

  /** The caller is on hold. */
  get isHeld(): boolean {
    return this.#call.isHeld;
  }

  /** See `Call.holdRefusal`. */
  holdRefusal(request: HoldRequest): HoldRefusal | undefined {
    return this.#call.holdRefusal(request);
  }

  /** Neither audio nor words are to be stored at present. */
  get isRecordingPaused(): boolean {
    return this.#call.isRecordingPaused;
  }

  /** See `Call.canSendTones`. */
  canSendTones(digits: number): boolean {
    return this.#call.canSendTones(digits);
  }

  /** See `Call.recordingRefusal`. */
  recordingRefusal(request: RecordingRequest): RecordingRefusal | undefined {
    return this.#call.recordingRefusal(request);
  }

  /** Whether the call wants a `tick` at `nowMs`. */
  isDue(nowMs: CallMs): boolean {
    return this.#call.isDue(nowMs);
  }

  /** Handles any event except the two frame events. Throws what the state machine, the journal or a command throws. */
  handle(event: CallEvent, nowMs: CallMs): void {
    this.#journal.event(nowMs, event);
    this.#toCall(event, nowMs);
  }

  /** `bytes`: the frame as it is recorded; copied. Throws as `handle`. */
  frameIn(event: FrameIn, bytes: Uint8Array, nowMs: CallMs): void {
    this.#journal.frameIn(nowMs, event.mediaMs, event.isSpeech, bytes);
    this.#toCall(event, nowMs);
  }

  /** `bytes`: the frame as it was sent; copied. Throws as `handle`. */
  frameOut(event: FrameOut, bytes: Uint8Array, nowMs: CallMs): void {
    this.#journal.frameOut(nowMs, event.turnId, event.samples, bytes);
    this.#toCall(event, nowMs);
  }

  #toCall(event: CallEvent, nowMs: CallMs): void {
    this.#eventMs = nowMs;
    this.#call.handle(event, nowMs);
    if (this.#failure === undefined) return;
    const { error } = this.#failure;
    this.#failure = undefined;
    throw error;
  }

  #onCommand(command: CallCommand): void {
    this.#journal.command(this.#eventMs, command);
    try {
      this.#carryOut(command);
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}
