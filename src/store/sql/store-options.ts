import type { AgeClock } from "../../core/age-clock.ts";
import type { Clock } from "../../core/clock.ts";
import type { HolderOf } from "../cluster/node-store.ts";
import type { UnpersistedPrompts } from "../redemptions.ts";
import type { RedemptionKeys } from "../stores.ts";

export interface SqlStoreOptions extends RedemptionKeys {
  clock: Clock;
  /** Measures the age of tokens and idempotency keys. */
  age: AgeClock;
  /** The prompts of calls that store no words, which are in no table. */
  unpersisted: Pick<UnpersistedPrompts, "get">;
  /** Whose calls the stores may end; by default those of no node. */
  holderOf?: HolderOf | undefined;
  /** A bucket has uploaded files: any node of a cluster processes them. */
  sharesFiles?: boolean | undefined;
}
