import { Call, type CallMachine, type CallOptions } from "./call.ts";
import { LiveTranscription } from "./live/live-transcription.ts";

/** The state machine for the mode of the call. */
export const createCallMachine = (options: CallOptions): CallMachine =>
  options.spec.mode === "transcription" ? new LiveTranscription(options) : new Call(options);
