import type { EmulatedName } from "../../../../src/simulator/emulator/emulator.ts";
import type { PersonPlan, RestFault, WebhookRule } from "../../../../src/simulator/emulator/scenario.ts";
import type { Random } from "../../../support/random.ts";

// What one caller's transfer meets.

export interface TransferPlan {
  /** What the target does, in words. */
  readonly target: string;
  readonly person: Partial<PersonPlan>;
  readonly fault?: Omit<RestFault, "endpoint">;
  readonly webhook?: WebhookRule;
  /** The stream of the return cannot be connected at the first try. */
  readonly losesStream: boolean;
}

const FAULTED = 0.3;
const WEBHOOK_TROUBLE = 0.3;
const STREAM_LOST = 0.1;
const REACTS_MS = [50, 2_000] as const;
const LATE_MS = [500, 5_000] as const;

const TARGETS: Readonly<Record<string, Partial<PersonPlan>>> = {
  busy: { does: "busy" },
  "no answer": { does: "no_answer" },
  declines: { does: "decline" },
  "invalid number": { does: "invalid_number" },
  unreachable: { does: "unreachable" },
  answers: { does: "answer" },
  "answers and hangs up at once": { does: "answer", hangsUpAfterMs: 0 },
};

/**
 * What becomes of the request to transfer. 404 is missing: with it the carrier says that there is no such call, and the service ends
 * its own.
 */
const FAULTS: readonly Omit<RestFault, "endpoint">[] = [
  { kind: "status", status: 400 },
  { kind: "status", status: 403 },
  { kind: "status", status: 429, retryAfterS: 1 },
  { kind: "status", status: 500, isCarriedOut: true },
  { kind: "status", status: 503 },
  { kind: "html", status: 502 },
  { kind: "silence", isCarriedOut: true },
  { kind: "silence" },
  { kind: "unreachable" },
];

/** The request that transfers a caller. */
export const TRANSFER_ENDPOINT: Readonly<Record<EmulatedName, string>> = {
  twilio: "calls.update",
  telnyx: "calls.actions.transfer",
  plivo: "calls.transfer",
};

/** Without what the service waits for until a deadline. */
const SHORT = {
  targets: ["busy", "declines", "invalid number", "unreachable", "answers", "answers and hangs up at once"],
  faults: FAULTS.slice(0, 4),
  manners: ["late", "twice"],
} as const;
const MANNERS = ["late", "twice", "lost", "after_next"] as const;

export function transferPlan(random: Random, isShort: boolean): TransferPlan {
  const target = random.pick(isShort ? SHORT.targets : Object.keys(TARGETS));
  return {
    target,
    person: { ...TARGETS[target], reactsAfterMs: random.between(...REACTS_MS) },
    ...(random.chance(FAULTED) && { fault: { ...random.pick(isShort ? SHORT.faults : FAULTS), times: 1 } }),
    ...(random.chance(WEBHOOK_TROUBLE) && {
      webhook: {
        kind: random.pick(["transfer", "transfer", "answered", "ended", "stream"] as const),
        does: random.pick(isShort ? SHORT.manners : MANNERS),
        times: 1,
        delayMs: random.between(...LATE_MS),
      },
    }),
    losesStream: random.chance(STREAM_LOST),
  };
}
