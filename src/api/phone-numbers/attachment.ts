import type { CarrierType } from "../../core/calls/spec.ts";
import type { Act } from "../../store/accounts/audit-store.ts";
import type { CarrierStore } from "../../store/telephony/carrier-store.ts";
import type { PhoneNumber } from "../../store/telephony/phone-number-store.ts";
import type { Attachment, CarrierAccounts } from "../../telephony/carrier-accounts.ts";
import { carrierError, openedCarrier } from "../carrier-accounts/errors.ts";
import { ApiError, found, notFound } from "../http/errors.ts";

export interface AttachmentDeps {
  carriers: Pick<CarrierStore, "get" | "open">;
  carrierAccounts: Pick<CarrierAccounts, "attach" | "detach" | "forget" | "callbackUrls" | "isEmulated" | "testCall">;
}

/** The number, whose calls the carrier sends to this service from now on. Throws ApiError where that is not possible. */
export async function attachNumber(
  { carriers, carrierAccounts }: AttachmentDeps,
  number: PhoneNumber,
  act: Act,
): Promise<PhoneNumber> {
  const opened = await openedCarrier(carriers, number);
  const urls = carrierAccounts.callbackUrls(opened.carrier.webhookKey);
  if (urls === undefined) {
    throw new ApiError(
      "conflict",
      "the service has no address that carriers can reach: its operator must set PUBLIC_API_URL",
    );
  }
  const attachment = await carrierAccounts.attach(opened, number, urls, act);
  return numberOf(attachment, opened.carrier.carrier, "the change of the number");
}

/** The number, with whose calls the carrier does what it did before. With `force` the carrier is not asked. */
export async function detachNumber(
  { carriers, carrierAccounts }: AttachmentDeps,
  number: PhoneNumber,
  { force, act }: { force: boolean; act: Act },
): Promise<PhoneNumber> {
  if (force) return found(await carrierAccounts.forget(number, act), "phone number");
  const opened = await openedCarrier(carriers, number);
  const attachment = await carrierAccounts.detach(opened, number, act);
  return numberOf(attachment, opened.carrier.carrier, "the change of the number");
}

/** The number of the person who calls. It is of a range that no carrier gives out. */
const TEST_CALLER = "+12025550142";

/** Has a person of an emulated carrier call the number. Throws ApiError where that is not possible. */
export async function testCallTo(
  { carriers, carrierAccounts }: AttachmentDeps,
  number: PhoneNumber,
  says: readonly string[],
): Promise<{ from: string; to: string }> {
  const { carrier } = found(await carriers.get(number.accountId, number.carrierId), "carrier");
  if (!carrierAccounts.isEmulated(carrier)) {
    throw new ApiError(
      "conflict",
      `test calls are for development: the API of ${carrier} is no emulator on this machine. Call the number from a telephone`,
    );
  }
  if (!number.isAttached) throw new ApiError("conflict", "the number is not attached: attach it first");
  const call = { from: TEST_CALLER, to: number.number };
  const answer = await carrierAccounts.testCall(carrier, { ...call, says });
  if (answer.kind !== "done") throw carrierError(carrier, answer, "the test call");
  return call;
}

function numberOf(attachment: Attachment, carrier: CarrierType, what: string): PhoneNumber {
  if (attachment.kind === "done") return attachment.value;
  if (attachment.kind === "deleted") throw notFound("phone number");
  throw carrierError(carrier, attachment, what);
}
