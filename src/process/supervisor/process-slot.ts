import { RESTART_MS_MIN } from "../../core/limits/service/processes.ts";
import type { WorkerRole } from "../../store/handoff/messages.ts";
import type { ChildKind } from "../channel/protocol.ts";
import type { SupervisedProcess } from "./supervised-process.ts";

/** A role that one process fills at a time; when it dies or is replaced, another one does. */
export interface ProcessSlot {
  readonly kind: ChildKind;
  readonly role: WorkerRole;
  /** As configured at first, then the port on which the process listens. */
  port: number;
  /** Undefined between a death and the next start. */
  process: SupervisedProcess | undefined;
  /** Started by a roll; it fills the slot when it is up. */
  replacement: SupervisedProcess | undefined;
  /** The delay before the next restart. */
  restartMs: number;
}

/** One that no process fills yet. */
export const emptySlot = (kind: ChildKind, port: number, role: WorkerRole = "media"): ProcessSlot => ({
  kind,
  role,
  port,
  process: undefined,
  replacement: undefined,
  restartMs: RESTART_MS_MIN,
});
