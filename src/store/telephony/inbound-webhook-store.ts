import type { AccountId, PhoneNumberId } from "../../core/ids.ts";
import type { Act } from "../accounts/audit-store.ts";
import type { Resealable } from "../sealing/reseal.ts";
import type { PhoneNumber, PhoneNumberChange } from "./phone-number-store.ts";

/** The program that is asked about the inbound calls of a number. Never logged. */
export interface InboundWebhook {
  url: string;
  /** Signs what is sent to it. */
  secret: string;
}

/**
 * The inbound webhooks of numbers, with sealed secrets bound to their rows. `PhoneNumberStore.update` removes them. Rejects as
 * CarrierStore does.
 */
export interface InboundWebhookStore extends Resealable {
  /**
   * Sets the address with a new secret, which is returned here and nowhere else, and changes the number in the same transaction.
   * Undefined for an unknown id and one of another account.
   */
  set(
    accountId: AccountId,
    id: PhoneNumberId,
    url: string,
    change: Omit<PhoneNumberChange, "inboundWebhookUrl">,
    act?: Act,
  ): Promise<{ number: PhoneNumber; secret: string } | undefined>;
  /** Undefined for a number without one. */
  open(id: PhoneNumberId): Promise<InboundWebhook | undefined>;
}
