import { codeOf, type Fault, TrunklineError } from "../../core/errors.ts";
import type { JournaledCall } from "../../record/finalization/journal-processor.ts";
import { systemErrorCodeOf } from "../../record/journal/reader.ts";
import type { Recording } from "../../record/recording/render.ts";

/** What the control process asks of the renderer; `id` is chosen by it and comes back with the answer. */
export interface RendererRequest {
  id: number;
  kind: "project" | "render";
  callId: string;
}

export type RendererMessage =
  | { kind: "ready" }
  /** The loop turns. Sent every HEARTBEAT_MS. */
  | { kind: "heartbeat" }
  | { kind: "projected"; id: number; call: JournaledCall }
  /** `recording` is null when the call was not to be recorded. */
  | { kind: "rendered"; id: number; recording: Recording | null }
  | { kind: "failed"; id: number; failure: SerializedError };

/** An error, as it is sent from one process to another. */
export interface SerializedError {
  code: string;
  fault: Fault;
  message: string;
  /** The system's name, such as EIO, of what kept a file from being read or written. */
  systemCode?: string | undefined;
}

export const serializeError = (error: unknown): SerializedError => ({
  code: codeOf(error),
  fault: error instanceof TrunklineError ? error.fault : "bug",
  message: error instanceof Error ? error.message : String(error),
  systemCode: systemErrorCodeOf(error),
});

/** The error that a failure was made of: `systemCodeOf` says the same of it. */
export function deserializeError({ code, fault, message, systemCode }: SerializedError): TrunklineError {
  const cause = systemCode === undefined ? undefined : Object.assign(new Error(systemCode), { code: systemCode });
  return new TrunklineError(code, fault, message, { cause });
}
