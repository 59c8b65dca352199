import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { billOf, type Prices } from "../../core/billing/prices.ts";
import { type Clock, isoEpochMs, isoTime } from "../../core/clock.ts";
import { addMs, type EpochMs, elapsedMs, millisecondsOf } from "../../core/clocks.ts";
import {
  USAGE_CALLS_MAX,
  USAGE_CALLS_PER_READ,
  USAGE_DAYS_DEFAULT,
  USAGE_DAYS_MAX,
  USAGE_GROUPS_MAX,
} from "../../core/limits/accounts/usage.ts";
import type { CallUsage, TranscriptionUsage, UsageStore } from "../../store/accounts/usage-store.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { invalidRequest } from "../http/errors.ts";
import { parameter } from "../http/requests/query.ts";
import { problem, problemWithoutValue } from "../http/requests/validation.ts";
import {
  LARGE_RESPONSE_ERRORS,
  type LargeResponsesDeps,
  largeResponseHooks,
} from "../http/responses/large-response-hooks.ts";
import { DAY_MS, USAGE_GROUPINGS, type UsageGrouping, UsageGroups } from "./groups.ts";

export interface UsageRoutesDeps extends LargeResponsesDeps {
  usage: UsageStore;
  /** Of transcriptions, whose records have no cost. */
  prices: Prices | undefined;
  clock: Clock;
}

const timeRule = { error: "must be a time in ISO 8601 with its zone, such as 2026-01-31T00:00:00Z" };
const timeParameter = z.iso.datetime({ offset: true, ...timeRule });
const groupRule = `must be one or more of ${USAGE_GROUPINGS.join(", ")}, separated by commas`;

const Filters = z.strictObject({
  groupBy: parameter
    .default("day")
    .refine((given) => isGrouping(given.split(",")), { error: groupRule })
    .meta({
      description: `What divides the calls into groups: one or more of ${USAGE_GROUPINGS.map((name) => `\`${name}\``).join(", ")}, separated by commas.`,
      examples: ["day", "day,agent,provider"],
    }),
  from: timeParameter.optional().meta({
    description: `Calls that ended at this time or later; ${USAGE_DAYS_DEFAULT} days before \`to\` by default.`,
    examples: ["2025-12-01T00:00:00Z"],
  }),
  to: timeParameter.optional().meta({
    description: `Calls that ended before this time, which is now by default; at most ${USAGE_DAYS_MAX} days after \`from\`.`,
    examples: ["2026-01-31T00:00:00Z"],
  }),
});

const Group = z
  .object({
    day: z
      .string()
      .optional()
      .meta({ description: "The UTC day of the end of the calls and transcriptions.", examples: ["2026-01-31"] }),
    agentId: z
      .string()
      .nullable()
      .optional()
      .meta({ description: "Null for calls that were created without an agent, and for transcriptions." }),
    provider: z
      .string()
      .optional()
      .meta({ examples: ["openai"] }),
    calls: z.int().meta({ description: "Calls that had a stream; by provider, those that used it." }),
    minutes: z.number().meta({ description: "Of these calls, from the beginning of each stream to its end." }),
    transcriptions: z
      .int()
      .meta({ description: "Of files and live streams that used a provider; by provider, those that used it." }),
    transcribedMinutes: z.number().meta({ description: "Of the audio of these transcriptions." }),
    costs: z.array(z.object({ currency: z.string().meta({ examples: ["USD"] }), total: z.number() })).meta({
      description:
        "What has a price, in each currency in which prices were configured; mostly one, or none. Of transcriptions by the present prices.",
    }),
    costComplete: z.boolean().meta({ description: "Whether all that was used has a price." }),
  })
  .meta({ id: "UsageGroup" });

const Usage = z
  .object({ from: time, to: time, data: z.array(Group) })
  .meta({ id: "Usage", description: "The usage by groups, in the order of day, agent and provider." });

const READ = {
  operationId: "getUsage",
  scope: "read",
  tags: ["usage"],
  summary: "Calls, transcriptions, minutes and cost",
  description:
    "What the account's ended calls and transcriptions add up to, from their records: those whose records retention has deleted are not " +
    `in it. 400 where the range has more than ${USAGE_CALLS_MAX} of both or ${USAGE_GROUPS_MAX} groups: ask for a shorter one.`,
  querystring: Filters,
  errors: LARGE_RESPONSE_ERRORS,
  response: { 200: Usage },
} as const;

/** Registers `GET /usage` in `scope`, which must require an API key. */
export function usageRoutes(scope: FastifyInstance, { usage, prices, clock, largeResponses }: UsageRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.get("/usage", { schema: READ, ...largeResponseHooks(largeResponses) }, async ({ accountId, query }) => {
    const toMs = query.to === undefined ? clock.epochMs() : isoEpochMs(query.to);
    const fromMs = query.from === undefined ? addMs(toMs, -USAGE_DAYS_DEFAULT * DAY_MS) : isoEpochMs(query.from);
    requireRange(fromMs, toMs, query.from);
    const groups = new UsageGroups(query.groupBy.split(",") as UsageGrouping[]);
    const range = { endedFromMs: fromMs, endedBeforeMs: toMs };
    const counted: Counted = { groups, read: 0 };
    await addAll(
      counted,
      (after: CallUsage | undefined) => usage.listEnded(accountId, pageOf(range, after)),
      (call) => groups.addCall(call),
    );
    const listTranscribed = (after: TranscriptionUsage | undefined) =>
      usage.listTranscribed(accountId, pageOf(range, after));
    await addAll(counted, listTranscribed, (transcription) =>
      groups.addTranscription({ ...transcription, ...billOf(sttUsage(transcription), prices) }),
    );
    return { from: isoTime(fromMs), to: isoTime(toMs), data: groups.groups() };
  });
}

const isGrouping = (names: readonly string[]): names is UsageGrouping[] =>
  new Set(names).size === names.length && names.every((name) => (USAGE_GROUPINGS as readonly string[]).includes(name));

/** Throws ApiError 400 for an empty range and for one that is too long. */
function requireRange(fromMs: EpochMs, toMs: EpochMs, from: string | undefined): void {
  const rangeMs = elapsedMs(fromMs, toMs);
  if (rangeMs > 0 && rangeMs <= USAGE_DAYS_MAX * DAY_MS && millisecondsOf(fromMs) >= 0) return;
  const rule = `must be before \`to\`, and at most ${USAGE_DAYS_MAX} days before it`;
  throw invalidRequest([problem(["from"], rule, from)]);
}

/** What one answer adds up. */
interface Counted {
  readonly groups: UsageGroups;
  /** How many calls and transcriptions. */
  read: number;
}

const pageOf = <Item>(range: { endedFromMs: EpochMs; endedBeforeMs: EpochMs }, after: Item | undefined) => ({
  ...range,
  after,
  limit: USAGE_CALLS_PER_READ,
});

/** Adds all that `list` has, in pages. Throws ApiError 400 where they are too many. */
async function addAll<Item>(
  counted: Counted,
  list: (after: Item | undefined) => Promise<readonly Item[]>,
  add: (item: Item) => void,
): Promise<void> {
  for (let after: Item | undefined; ; ) {
    const items = await list(after);
    for (const item of items) add(item);
    counted.read += items.length;
    if (counted.read > USAGE_CALLS_MAX || counted.groups.count > USAGE_GROUPS_MAX) throw tooMany();
    if (items.length < USAGE_CALLS_PER_READ) return;
    after = items.at(-1);
    await nextTurn();
  }
}

const sttUsage = ({ usage }: TranscriptionUsage) =>
  usage.map(({ provider, ...used }) => ({ stage: "stt" as const, provider, usage: used }));

const tooMany = () =>
  invalidRequest([
    problemWithoutValue(
      ["from"],
      `must be closer to \`to\`: the range has more than ${USAGE_CALLS_MAX} calls and transcriptions, or ${USAGE_GROUPS_MAX} groups`,
    ),
  ]);
