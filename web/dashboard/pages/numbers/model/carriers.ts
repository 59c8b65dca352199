import type { Schema } from "../../../../client/src/index.ts";
import { changed } from "../../../app/changed.ts";
import { listOf, numberOf, numberOrNull } from "../../../app/form-values.ts";

export type Carrier = Schema<"Carrier">;
export type CarrierType = Carrier["carrier"];

/** A credential that a carrier gives to an account. */
export interface CredentialField {
  name: string;
  label: string;
  /** Where it stands, and what it is for. */
  hint: string;
  isSecret: boolean;
}

interface CarrierKind {
  /** Its own name. */
  title: string;
  fields: readonly CredentialField[];
}

/** The carriers that the service knows. */
export const CARRIER_KINDS: Readonly<Record<CarrierType, CarrierKind>> = {
  carrier_a: {
    title: "Twilio",
    fields: [
      { name: "accountSid", label: "Account SID", hint: "On the first page of the console.", isSecret: false },
      {
        name: "authToken",
        label: "Auth Token",
        hint: "The primary one of the account. An API key cannot replace it: webhooks and streams are signed with it.",
        isSecret: true,
      },
    ],
  },
  carrier_b: {
    title: "Telnyx",
    fields: [
      { name: "apiKey", label: "API key", hint: "Version 2, from the page API Keys of the portal.", isSecret: true },
      {
        name: "publicKey",
        label: "Public key",
        hint: "From the page Keys & Credentials of the portal: webhooks are checked with it.",
        isSecret: false,
      },
      {
        name: "connectionId",
        label: "Connection id",
        hint: "Of a Voice API (Call Control) application that nothing else uses. For outbound calls it needs an outbound voice profile.",
        isSecret: false,
      },
    ],
  },
  carrier_c: {
    title: "Plivo",
    fields: [
      { name: "authId", label: "Auth ID", hint: "On the first page of the console.", isSecret: false },
      {
        name: "authToken",
        label: "Auth Token",
        hint: "Of the same account or subaccount: webhooks and streams are signed with it.",
        isSecret: true,
      },
    ],
  },
};

export const CARRIER_CHOICES = Object.entries(CARRIER_KINDS).map(([value, { title }]) => ({ value, label: title }));

/** What the form of a carrier has: texts as they stand in its fields. */
export interface CarrierForm {
  carrier: CarrierType;
  name: string;
  credentials: Readonly<Record<string, string>>;
  callsPerSecond: string;
  maxConcurrentCalls: string;
  /** With commas. */
  allowedCountries: string;
  allowedNumbers: string;
}

export const NEW_CARRIER: CarrierForm = {
  carrier: "carrier_a",
  name: "",
  credentials: {},
  callsPerSecond: "1",
  maxConcurrentCalls: "",
  allowedCountries: "",
  allowedNumbers: "",
};

/** Without credentials, of which the secret ones are never shown. */
export const carrierFormOf = (carrier: Carrier): CarrierForm => ({
  carrier: carrier.carrier,
  name: carrier.name,
  credentials: {},
  callsPerSecond: String(carrier.callsPerSecond),
  maxConcurrentCalls: carrier.maxConcurrentCalls === null ? "" : String(carrier.maxConcurrentCalls),
  allowedCountries: (carrier.allowedCountries ?? []).join(", "),
  allowedNumbers: (carrier.allowedNumbers ?? []).join(", "),
});

/** Spaces at the ends come from copying. Fields of another carrier, chosen before, are left out. */
export const credentialsOf = ({ carrier, credentials }: CarrierForm): Record<string, string> =>
  Object.fromEntries(CARRIER_KINDS[carrier].fields.map(({ name }) => [name, (credentials[name] ?? "").trim()]));

const settingsOf = (form: CarrierForm) => ({
  name: form.name,
  callsPerSecond: numberOf(form.callsPerSecond),
  maxConcurrentCalls: numberOrNull(form.maxConcurrentCalls),
  allowedCountries: listOrNull(form.allowedCountries),
  allowedNumbers: listOrNull(form.allowedNumbers),
});

/** What creates the carrier. */
export const newCarrierOf = (form: CarrierForm) => ({
  carrier: form.carrier,
  credentials: credentialsOf(form),
  ...settingsOf(form),
});

/** What changes the carrier; its credentials have a form of their own. */
export const carrierChangesOf = (before: CarrierForm, form: CarrierForm) =>
  changed(settingsOf(before), settingsOf(form));

/** An empty list stands for the rule of the service, and not for "none". */
function listOrNull(text: string): string[] | null {
  const list = listOf(text);
  return list.length === 0 ? null : list;
}
