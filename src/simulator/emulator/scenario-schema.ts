import { z } from "zod";
import { BEHAVIOURS, type Scenario, WEBHOOK_KINDS } from "./scenario.ts";

// Scenarios and their parts as JSON, from a file or from the control API.

const digit = z.string().regex(/^[0-9*#A-D]$/);

/** What differs from the person of the scenario. */
export const PLAN = z
  .strictObject({
    does: z.enum(BEHAVIOURS),
    ringsAfterMs: z.int().min(0),
    reactsAfterMs: z.int().min(0),
    hangsUpAfterMs: z.int().min(0),
    givesUpAfterMs: z.int().min(0),
    presses: z.array(z.strictObject({ digit, afterMs: z.int().min(0) })),
    says: z.array(z.string().min(1)),
    headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string()),
    failsStream: z.int().min(1),
  })
  .partial();

export const FAULT = z.strictObject({
  kind: z.enum(["status", "html", "silence", "unreachable"]),
  endpoint: z.string().optional(),
  times: z.int().min(1).optional(),
  skip: z.int().min(0).optional(),
  status: z.int().min(100).max(599).optional(),
  retryAfterS: z.int().min(0).optional(),
  isCarriedOut: z.boolean().optional(),
});

export const WEBHOOK = z.strictObject({
  does: z.enum(["late", "twice", "lost", "after_next"]),
  kind: z.enum(WEBHOOK_KINDS).optional(),
  times: z.int().min(1).optional(),
  delayMs: z.int().min(0).optional(),
});

const SCENARIO = z
  .strictObject({
    person: PLAN,
    people: z.record(z.string(), z.array(PLAN).min(1)),
    webhooks: z.array(WEBHOOK),
    faults: z.array(FAULT),
    pricePerMinute: z.number().min(0),
    pricedAfterMs: z.int().min(0),
  })
  .partial();

/** Reads a scenario from JSON. Throws an Error that says what is wrong. */
export function readScenario(text: string, defaults: Scenario): Scenario {
  const { success, data, error } = SCENARIO.safeParse(JSON.parse(text));
  if (!success) throw new Error(z.prettifyError(error));
  const { person = {}, people = {}, webhooks = [], faults = [], ...others } = data;
  return {
    ...defaults,
    ...defined(others),
    person: { ...defaults.person, ...defined(person) },
    people: Object.fromEntries(Object.entries(people).map(([number, plans]) => [number, plans.map(defined)])),
    webhooks: webhooks.map(defined),
    faults: faults.map(defined),
  };
}

/** Without members that are undefined. */
export const defined = <Value extends object>(
  value: Value,
): { [Name in keyof Value]: Exclude<Value[Name], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [Name in keyof Value]: Exclude<Value[Name], undefined>;
  };
