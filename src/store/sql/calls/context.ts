import type { AgeClock } from "../../../core/age-clock.ts";
import type { Clock } from "../../../core/clock.ts";
import type { CallEvent } from "../../calls/call-store.ts";
import type { HolderOf } from "../../cluster/node-store.ts";
import type { SqlDatabase } from "../database.ts";
import type { SideEffects } from "../side-effects.ts";
import type { SqlTranscriptions } from "../transcriptions/transcriptions.ts";

/** What the operations of `SqlCalls` share, each of which uses a part of it. */
export interface CallsContext extends SideEffects {
  database: SqlDatabase;
  clock: Clock;
  /** Measures the age of tokens and idempotency keys. */
  age: AgeClock;
  holderOf: HolderOf;
  /** For live ones. */
  transcriptions: SqlTranscriptions;
  /** Reports a change of a call to the listeners of `CallStore.subscribe`. */
  emit: (event: CallEvent) => void;
}
