import type {
  CallbackUrls,
  CarrierAnswer,
  CarrierCredentials,
  CarrierNumber,
  CarrierTelephony,
  CredentialField,
  Exchange,
  NumberRouting,
} from "../carriers/telephony.ts";
import type { CarrierType } from "../core/calls/spec.ts";
import type { Act } from "../store/accounts/audit-store.ts";
import type { OpenedCarrier } from "../store/telephony/carrier-store.ts";
import type { PhoneNumber, PhoneNumberStore } from "../store/telephony/phone-number-store.ts";
import type { CarrierClient } from "./carrier-client.ts";
import { type TestCaller, testCall } from "./emulated.ts";

export interface CarrierAccountsOptions {
  client: CarrierClient;
  /** Undefined for a carrier whose calls and numbers the service does not manage. */
  telephonyOf: (carrier: CarrierType) => CarrierTelephony | undefined;
  numbers: Pick<PhoneNumberStore, "setAttached" | "setDetached">;
  /** The address at which carriers reach the service, without a slash at its end; undefined where none is configured. */
  publicUrl: string | undefined;
  /** Whether the carrier is emulated on this machine, for development. */
  isEmulated: (carrier: CarrierType) => boolean;
}

/** Why a carrier did not do what it was asked for. */
export type CarrierProblem = Exclude<CarrierAnswer<never>, { kind: "done" }>;

export type Asked<Value> = { kind: "done"; value: Value } | CarrierProblem;

/** The addresses of this service that calls of a carrier use. */
export const callbackUrlsOf = (publicUrl: string, webhookKey: string): CallbackUrls => ({
  voice: `${publicUrl}/telephony/${webhookKey}/voice`,
  status: `${publicUrl}/telephony/${webhookKey}/status`,
});

/** The accounts at carriers, and the numbers that they have there. */
export class CarrierAccounts {
  readonly #options: CarrierAccountsOptions;

  constructor(options: CarrierAccountsOptions) {
    this.#options = options;
  }

  /** The credentials of an account at this carrier; undefined for a carrier whose calls the service does not manage. */
  credentialFields(carrier: CarrierType): readonly CredentialField[] | undefined {
    return this.#options.telephonyOf(carrier)?.credentialFields;
  }

  /** The addresses that carriers call; undefined where no public address of the service is configured. */
  callbackUrls(webhookKey: string): CallbackUrls | undefined {
    const { publicUrl } = this.#options;
    return publicUrl === undefined ? undefined : callbackUrlsOf(publicUrl, webhookKey);
  }

  /** Whether the carrier is emulated on this machine. */
  isEmulated(carrier: CarrierType): boolean {
    return this.#options.isEmulated(carrier);
  }

  /** Has a person of an emulated carrier call. */
  testCall(carrier: CarrierType, caller: TestCaller): Promise<Asked<undefined>> {
    return this.#ask(carrier, testCall(caller));
  }

  /** Asks the carrier whether it accepts the credentials, by a request that changes nothing. */
  verify(carrier: CarrierType, credentials: CarrierCredentials): Promise<Asked<undefined>> {
    return this.#ask(carrier, this.#telephonyOf(carrier).verify(credentials));
  }

  /** A page of the numbers that the account has at its carrier; `page` is the `nextPage` of the one before. */
  listNumbers(
    { carrier: { carrier }, credentials }: OpenedCarrier,
    page: string | undefined,
  ): Promise<Asked<{ numbers: readonly CarrierNumber[]; nextPage?: string }>> {
    return this.#ask(carrier, this.#telephonyOf(carrier).listNumbers(credentials, page));
  }

  /**
   * Has the carrier send the calls of a number to this service. What the carrier did before is stored before anything is changed, so
   * that it can be restored whatever happens in between. Repeating it is harmless.
   */
  async attach(opened: OpenedCarrier, number: PhoneNumber, urls: CallbackUrls, act: Act): Promise<Attachment> {
    const { carrier, credentials } = opened;
    const telephony = this.#telephonyOf(carrier.carrier);
    const ofCarrier = carrierNumberOf(number);
    const routing = await this.#ask(carrier.carrier, telephony.readNumber(credentials, ofCarrier));
    if (routing.kind !== "done") return routing;
    const attachment = await this.#attachmentOf(opened, ofCarrier);
    if (attachment.kind !== "done") return attachment;
    // After an attachment that was forgotten the carrier may still send the calls here: what was before that is restored.
    const isOwn = telephony.isAttachedRouting(credentials, routing.value, urls, attachment.value);
    const before = isOwn ? (number.routingBefore ?? {}) : routing.value;
    const { accountId, id } = number;
    const attached = await this.#options.numbers.setAttached(accountId, id, before, act);
    if (attached === undefined) return { kind: "deleted" };
    const changed = await this.#askAll(carrier.carrier, telephony.attachNumber(credentials, ofCarrier, urls));
    if (changed.kind === "done") return { kind: "done", value: attached };
    // Where the carrier has done nothing at all, the number is as it was before.
    const isUnchanged = changed.doneCount === 0 && changed.problem.kind !== "uncertain" && !number.isAttached;
    if (isUnchanged) await this.#options.numbers.setDetached(accountId, id, act, { keepsRouting: isOwn });
    return changed.problem;
  }

  async #attachmentOf(
    { carrier: { carrier }, credentials }: OpenedCarrier,
    number: CarrierNumber,
  ): Promise<Asked<unknown>> {
    const exchange = this.#telephonyOf(carrier).readAttachment?.(credentials, number);
    return exchange === undefined ? { kind: "done", value: undefined } : await this.#ask(carrier, exchange);
  }

  /** Has the carrier do what it did before the number was attached. A number that the carrier no longer has is detached, too. */
  async detach(opened: OpenedCarrier, number: PhoneNumber, act: Act): Promise<Attachment> {
    const { carrier, credentials } = opened;
    const before: NumberRouting = number.routingBefore ?? {};
    const exchanges = this.#telephonyOf(carrier.carrier).detachNumber(credentials, carrierNumberOf(number), before);
    const changed = await this.#askAll(carrier.carrier, exchanges);
    if (changed.kind === "problem" && changed.problem.kind !== "gone") return changed.problem;
    const detached = await this.#options.numbers.setDetached(number.accountId, number.id, act);
    return detached === undefined ? { kind: "deleted" } : { kind: "done", value: detached };
  }

  /** Takes a number for detached without asking the carrier, and keeps what it did before; undefined where the account has deleted it meanwhile. */
  forget({ accountId, id }: PhoneNumber, act: Act): Promise<PhoneNumber | undefined> {
    return this.#options.numbers.setDetached(accountId, id, act, { keepsRouting: true });
  }

  #telephonyOf(carrier: CarrierType): CarrierTelephony {
    const telephony = this.#options.telephonyOf(carrier);
    if (telephony === undefined) throw new Error(`${carrier} has no calls and numbers that the service manages`);
    return telephony;
  }

  async #ask<Value>(carrier: CarrierType, exchange: Exchange<Value>): Promise<Asked<Value>> {
    return await this.#options.client.send(carrier, exchange);
  }

  async #askAll(
    carrier: CarrierType,
    exchanges: readonly ((before: readonly unknown[]) => Exchange<unknown>)[],
  ): Promise<{ kind: "done" } | { kind: "problem"; problem: CarrierProblem; doneCount: number }> {
    const values: unknown[] = [];
    for (const exchange of exchanges) {
      const answer = await this.#ask(carrier, exchange(values));
      if (answer.kind !== "done") return { kind: "problem", problem: answer, doneCount: values.length };
      values.push(answer.value);
    }
    return { kind: "done" };
  }
}

/** What became of a number that is attached or detached; `deleted`: the account has deleted it meanwhile. */
export type Attachment = Asked<PhoneNumber> | { kind: "deleted" };

const carrierNumberOf = ({ number, carrierNumberId }: PhoneNumber): CarrierNumber => ({ number, carrierNumberId });
