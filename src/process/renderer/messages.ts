import type { ReplayCheck } from "../../core/calls/replay-check.ts";
import { codeOf, type Fault, systemErrorCodeOf, TrunklineError } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import type { JournaledCall } from "../../record/finalization/journal-processor.ts";
import type { Recording, RenderProgress } from "../../record/recording/render.ts";
import type { LiveSpansPage } from "../../record/traces/live-spans.ts";
import type { SpanRequest } from "../../record/traces/spans.ts";

/** A request of the control process to the renderer. The response carries the same `id`. */
export interface RendererRequest {
  id: number;
  kind: "project" | "render" | "trace" | "waveform" | "replay";
  callId: CallId;
  /** The spans that are asked for, with `project` and `trace`. */
  trace?: SpanRequest | undefined;
  /** The record of the call says that it is to be redacted, with `project`. */
  isRedacted?: boolean | undefined;
  /** The call's media key as text; absent where its media are not encrypted. */
  mediaKey?: string | undefined;
}

export type RendererMessage =
  | { kind: "ready" }
  /** The event loop runs. Sent every HEARTBEAT_MS. */
  | { kind: "heartbeat" }
  | { kind: "progress"; id: number; progress: RenderProgress }
  | { kind: "projected"; id: number; call: JournaledCall }
  /** `recording` is null when the call is not recorded. */
  | { kind: "rendered"; id: number; recording: Recording | null }
  /** `page` is null when the journal has no header yet. */
  | { kind: "traced"; id: number; page: LiveSpansPage | null }
  /** The recording has a waveform now. */
  | { kind: "waveform-made"; id: number }
  | { kind: "replayed"; id: number; check: ReplayCheck }
  | { kind: "failed"; id: number; failure: SerializedError };

/** An error as it is sent between processes. */
export interface SerializedError {
  code: string;
  fault: Fault;
  message: string;
  /** The system's error code, such as EIO, of a file that could not be read or written. */
  systemCode?: string | undefined;
}

/** Any thrown value as it is sent to the control process; without its stack and its cause. */
export const serializeError = (error: unknown): SerializedError => ({
  code: codeOf(error),
  fault: error instanceof TrunklineError ? error.fault : "bug",
  message: error instanceof Error ? error.message : String(error),
  systemCode: systemErrorCodeOf(error),
});

/** The error that was serialized: `systemErrorCodeOf` returns the same code for it. */
export function deserializeError({ code, fault, message, systemCode }: SerializedError): TrunklineError {
  const cause = systemCode === undefined ? undefined : Object.assign(new Error(systemCode), { code: systemCode });
  return new TrunklineError(code, fault, message, { cause });
}
