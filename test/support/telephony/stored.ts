import type { PhoneCallFacts } from "../../../src/core/calls/phone.ts";
import type { EpochMs } from "../../../src/core/clocks.ts";
import type { AccountId, CarrierId } from "../../../src/core/ids.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { Carrier, NewCarrier } from "../../../src/store/telephony/carrier-store.ts";
import type { NewPhoneCall, PhoneCallStep } from "../../../src/store/telephony/phone-call-store.ts";
import type { PhoneNumber } from "../../../src/store/telephony/phone-number-store.ts";
import { SPEC } from "../calls/stored-calls.ts";
import { SEALING_KEYS } from "../stores/keys.ts";

/** A secret that no answer, no log and no export may have. */
export const AUTH_TOKEN = "fedcba9876543210fedcba9876543210";

export const NEW_CARRIER: NewCarrier = {
  carrier: "carrier_a",
  name: "main",
  publicCredentials: { accountSid: "AC0123456789abcdef0123456789abcdef" },
  credentials: { accountSid: "AC0123456789abcdef0123456789abcdef", authToken: AUTH_TOKEN },
  callsPerSecond: 1,
};

export const createCarrier = (stores: Stores, accountId: AccountId, more: Partial<NewCarrier> = {}): Promise<Carrier> =>
  stores.openCarriers(SEALING_KEYS).create(accountId, { ...NEW_CARRIER, ...more });

/** A number of the carrier that the account has. */
export async function importNumber(
  stores: Stores,
  { id: carrierId, accountId }: Carrier,
  number = "+15550100",
): Promise<PhoneNumber> {
  const [imported] = await stores.phoneNumbers.import(accountId, [
    { number, carrierId, carrierNumberId: `PN${number.slice(1).padStart(32, "0")}`, name: number },
  ]);
  if (imported === undefined) throw new Error("not imported");
  return imported;
}

export const OUTBOUND: PhoneCallFacts = { direction: "outbound", from: "+15550100", to: "+15550199" };
export const INBOUND: PhoneCallFacts = {
  direction: "inbound",
  from: "+15550199",
  to: "+15550100",
  headers: { "x-order": "A-17" },
};

/** An outbound call that waits for a slot. */
export const queuedCall = (
  accountId: AccountId,
  carrierId: CarrierId,
  atMs: EpochMs,
  more: Partial<NewPhoneCall> = {},
): NewPhoneCall => ({
  accountId,
  spec: SPEC,
  facts: OUTBOUND,
  carrierId,
  status: "queued",
  state: { phase: "queued" },
  events: [{ atMs, event: { kind: "requested" }, commands: [{ kind: "reserve-slot" }] }],
  ...more,
});

/** A step that changes nothing but the machine. */
export const stepAt = (atMs: EpochMs, more: Partial<PhoneCallStep> = {}): PhoneCallStep => ({
  state: { phase: "later" },
  row: { atMs, event: { kind: "tick" }, commands: [] },
  dueAtMs: undefined,
  isOver: false,
  jobs: [],
  ...more,
});
