import type { Schema } from "../../../client/src/index.ts";
import { isoTimeOf, listOf, localTimeOf, numberOf, numberOrNull } from "../../app/form-values.ts";
import { moneyText, numberText } from "../../app/format.ts";
import { DEFAULT_SCOPES, type Scope } from "./scopes.ts";

export type ApiKey = Schema<"ApiKey">;
export type PublishableKey = Schema<"PublishableKey">;
/** What an API key got: its name, and its text, which is shown once. */
export interface MadeApiKey {
  name: string;
  key: string;
}

type Limits = PublishableKey["limits"];

/** What the form of an API key has. */
export interface ApiKeyForm {
  name: string;
  scopes: readonly Scope[];
  /** A local time; empty for an API key that does not expire. */
  expires: string;
}

export const NEW_API_KEY: ApiKeyForm = { name: "", scopes: DEFAULT_SCOPES, expires: "" };

export const apiKeyFormOf = ({ name, scopes, expiresAt }: ApiKey): ApiKeyForm => ({
  name,
  scopes,
  expires: localTimeOf(expiresAt),
});

export const apiKeyBodyOf = ({ name, scopes, expires }: ApiKeyForm) => ({
  name,
  scopes: [...scopes],
  expiresAt: isoTimeOf(expires),
});

/** What the form of a publishable key has: texts as they stand in its fields. */
export interface PublishableKeyForm {
  name: string;
  agentIds: readonly string[];
  /** One on each line. */
  origins: string;
  limits: Readonly<Record<keyof Limits, string>>;
}

/** The limits in the order of the form. */
export const LIMITS: readonly { name: keyof Limits; label: string }[] = [
  { name: "startsPerMinute", label: "Starts a minute" },
  { name: "startsPerMinutePerAddress", label: "Starts a minute of one address" },
  { name: "concurrentCalls", label: "Calls at once" },
  { name: "concurrentCallsPerAddress", label: "Calls at once of one address" },
  { name: "maxCostPerDay", label: "Cost a day" },
  { name: "maxCostPerDayPerAddress", label: "Cost a day of one address" },
];

/** Those that may be without a value. */
export const isCost = (name: keyof Limits): boolean => name.startsWith("maxCost");

/** The limits of a new one, as the API has them where a request has none. */
const NEW_LIMITS: Limits = {
  startsPerMinute: 60,
  startsPerMinutePerAddress: 6,
  concurrentCalls: 20,
  concurrentCallsPerAddress: 2,
  maxCostPerDay: null,
  maxCostPerDayPerAddress: null,
};

const limitTextsOf = (limits: Limits): PublishableKeyForm["limits"] =>
  Object.fromEntries(LIMITS.map(({ name }) => [name, limits[name] === null ? "" : String(limits[name])])) as Record<
    keyof Limits,
    string
  >;

export const NEW_PUBLISHABLE_KEY: PublishableKeyForm = {
  name: "",
  agentIds: [],
  origins: "",
  limits: limitTextsOf(NEW_LIMITS),
};

export const publishableKeyFormOf = ({ name, agentIds, origins, limits }: PublishableKey): PublishableKeyForm => ({
  name,
  agentIds,
  origins: origins.join("\n"),
  limits: limitTextsOf(limits),
});

export const publishableKeyBodyOf = ({ name, agentIds, origins, limits }: PublishableKeyForm) => ({
  name,
  agentIds: [...agentIds],
  origins: listOf(origins),
  limits: Object.fromEntries(
    LIMITS.map(({ name: limit }) => [limit, isCost(limit) ? numberOrNull(limits[limit]) : numberOf(limits[limit])]),
  ) as unknown as Limits,
});

/** The limits of a publishable key in a few words. */
export function limitsText(limits: Limits): string {
  const { startsPerMinute, concurrentCalls, maxCostPerDay } = limits;
  return [
    `${numberText(startsPerMinute)} starts a minute`,
    `${numberText(concurrentCalls)} calls at once`,
    ...(maxCostPerDay === null ? [] : [`${moneyText(maxCostPerDay, "").trim()} a day`]),
  ].join(", ");
}

/** The HTML that puts the first agent of a publishable key into a page. `origin` is that of the service. */
export const widgetLines = ({ key, agentIds }: Pick<PublishableKey, "key" | "agentIds">, origin: string): string =>
  [
    `<trunkline-agent agent-id="${agentIds[0] ?? ""}" publishable-key="${key}"></trunkline-agent>`,
    `<script type="module" src="${origin}/widget/v1.js"></script>`,
  ].join("\n");
