import { randomUUID } from "node:crypto";
import type { AgeClock } from "../../src/core/age-clock.ts";
import { ageMs, millisecondsOf } from "../../src/core/clocks.ts";
import { asWorkerId } from "../../src/core/ids.ts";
import { mintToken as mintTokenWith } from "../../src/core/stream-token.ts";
import type { Redeemer } from "../../src/store/redemptions.ts";
import type { ManualClock } from "./manual-clock.ts";

/** The key of services under test, and as it travels. */
export const TOKEN_KEY: Uint8Array = Buffer.alloc(32, 7);
export const TOKEN_KEY_TEXT = Buffer.from(TOKEN_KEY).toString("base64url");

/** A token that services under test take for one of theirs. */
export const mintToken = (): string => mintTokenWith(TOKEN_KEY);

/** A redemption by a worker, over its first connection to the first control process. */
export const redeemedBy = (workerId: string, changes: Partial<Redeemer> = {}): Redeemer => ({
  workerId: asWorkerId(workerId),
  connection: 1,
  epoch: 1,
  nonce: randomUUID(),
  ...changes,
});

/** Ages by a clock that a test moves. */
export const ageClockOf = (clock: ManualClock, bootId = "boot-1"): AgeClock => ({
  bootId,
  nowMs: () => ageMs(millisecondsOf(clock.nowMs())),
});
