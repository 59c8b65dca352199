import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { AccountSettingsChanges } from "../../core/accounts/account-settings.ts";
import { isoTime } from "../../core/clock.ts";
import { isObject } from "../../core/json.ts";
import type { Logger } from "../../core/log/logger.ts";
import { RETAINED_PARTS, RETENTION_FIELDS, type RetentionRules, retentionDaysOf } from "../../core/retention.ts";
import type { Account, AccountStore } from "../../store/accounts/account-store.ts";
import type { ApiKeyCache } from "../http/access/api-key-cache.ts";
import { actOf } from "../http/access/auth.ts";
import { ApiError, found, invalidRequest, type Problem } from "../http/errors.ts";
import { requireMatch } from "../http/requests/if-match.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { problem, problemWithoutValue, schemaProblems } from "../http/requests/validation.ts";
import type { VoiceCatalogue } from "../voices/catalogue.ts";
import { languageByCode, voiceById } from "../voices/lookup.ts";
import { AccountChangesBody, AccountItem } from "./schemas.ts";

export interface AccountRoutesDeps {
  accounts: Pick<AccountStore, "get" | "update">;
  apiKeyCache: Pick<ApiKeyCache, "forgetAccount">;
  voices: VoiceCatalogue;
  /** The service's own rules. */
  retentionRules: RetentionRules;
  log: Logger;
}

const tags = ["accounts"];

const READ = {
  operationId: "getAccount",
  scope: "read",
  tags,
  summary: "Read the account",
  description: "The account of the API key, with its limits and what is available to it.",
  querystring: NoQuery,
  response: { 200: AccountItem },
  responseHeaders: { 200: ["ETag"] },
} as const;

const CHANGE = {
  operationId: "updateAccount",
  scope: "admin",
  tags,
  summary: "Change the account",
  description:
    "What the account decides by itself: for how long its calls are kept, and which voices and languages its calls and agents " +
    "may have. Within a second every process follows. Calls whose stream has begun go on as they are. What is deleted by " +
    "fewer days cannot be had again.",
  querystring: NoQuery,
  headers: z.looseObject({
    "if-match": z
      .string()
      .optional()
      .meta({
        description: "The `ETag` of the account that the change was made for. 412 when it was changed meanwhile.",
        examples: ['"1"'],
      }),
  }),
  body: AccountChangesBody,
  response: { 200: AccountItem },
  responseHeaders: { 200: ["ETag"] },
  errors: ["precondition_failed"],
} as const;

/** Registers `GET` and `PATCH /account` in `scope`, which must require an API key. */
export function accountRoutes(scope: FastifyInstance, deps: AccountRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const { accounts, apiKeyCache, log } = deps;

  app.get("/account", { schema: READ }, async ({ accountId }, reply) => {
    const account = found(await accounts.get(accountId), "account");
    return reply.header("etag", etagOf(account)).send(itemOf(account));
  });

  app.patch("/account", { schema: CHANGE, attachValidation: true }, async (request, reply) => {
    const { accountId, id: requestId } = request;
    const account = found(await accounts.get(accountId), "account");
    const given: Record<string, unknown> = isObject(request.body) ? request.body : {};
    const problems = [
      ...operatorFieldProblems(given),
      ...schemaProblems(request),
      ...noQueryProblems(request.query),
      ...retentionProblems(given, account, deps),
      ...(await availabilityProblems(given, account, deps)),
    ];
    if (problems.length > 0) throw invalidRequest(problems);
    const ifVersion = requiredVersion(request.headers["if-match"], account);
    const updated = await accounts.update(accountId, changesOf(request.body), actOf(request), ifVersion);
    const changed = found(updated, "account");
    if (changed === "stale" || changed === "name_taken") throw stale();
    apiKeyCache.forgetAccount(accountId);
    log.info({ accountId, requestId, version: changed.version }, "account changed");
    return reply.header("etag", etagOf(changed)).send(itemOf(changed));
  });
}

/** What only the operator changes. */
const OPERATOR_FIELDS = ["name", "limits", "providers"] as const;

const operatorFieldProblems = (given: Record<string, unknown>): readonly Problem[] =>
  OPERATOR_FIELDS.filter((field) => field in given).map((field) =>
    problemWithoutValue([field], "is for the operator to change, with npm run accounts -- update"),
  );

/** An account keeps nothing longer than the service does. */
function retentionProblems(
  { retention }: Record<string, unknown>,
  { name }: Account,
  { retentionRules }: Pick<AccountRoutesDeps, "retentionRules">,
): readonly Problem[] {
  if (!isObject(retention)) return [];
  const service = retentionDaysOf(retentionRules, name);
  return RETAINED_PARTS.flatMap((part) => {
    const field = RETENTION_FIELDS[part];
    const [days, daysMax] = [retention[field], service[part]];
    if (typeof days !== "number" || daysMax === undefined || days <= daysMax) return [];
    const rule = `must be at most ${daysMax}, after which the service deletes it, or null for that`;
    return [problem(["retention", field], rule, days)];
  });
}

/** Voices and languages must be among those that the account's providers offer. */
async function availabilityProblems(
  { voices: voiceIds, languages: codes }: Record<string, unknown>,
  { settings }: Account,
  deps: Pick<AccountRoutesDeps, "voices">,
): Promise<readonly Problem[]> {
  if (!Array.isArray(voiceIds) && !Array.isArray(codes)) return [];
  const { providers } = settings;
  const offered = deps.voices.forAccount(providers === undefined ? {} : { providers });
  const [voices, languages] = await Promise.all([offered.voices(), offered.languages()]);
  const { isRestricted } = offered;
  const ofVoices = listed(voiceIds).map((id, index) => voiceById(["voices", index], id)(voices, isRestricted));
  const ofLanguages = listed(codes).map((code, index) => languageByCode(["languages", index], code)(languages));
  return [...ofVoices, ...ofLanguages].filter((one): one is Problem => one !== undefined && "path" in one);
}

const listed = (given: unknown): readonly unknown[] =>
  Array.isArray(given) ? [...given.entries()].map(([, item]) => item) : [];

function changesOf({ retention, voices, languages }: AccountChangesBody): AccountSettingsChanges {
  return {
    voices,
    languages,
    ...(retention !== undefined && {
      retention: Object.fromEntries(RETAINED_PARTS.map((part) => [part, retention[RETENTION_FIELDS[part]]])),
    }),
  };
}

/** The version that the account must still have; undefined where any is right. Throws ApiError `precondition_failed`. */
function requiredVersion(ifMatch: string | undefined, account: Account): number | undefined {
  requireMatch(ifMatch, etagOf(account), "account");
  return ifMatch === undefined || ifMatch.trim() === "*" ? undefined : account.version;
}

const stale = (): ApiError => new ApiError("precondition_failed", "the account was changed meanwhile");

const etagOf = ({ version }: Account): string => `"${version}"`;

/** An account as the API shows it. */
const itemOf = ({ id, name, settings, createdAtMs, updatedAtMs }: Account): z.output<typeof AccountItem> => {
  const { limits, retention, providers, voices, languages } = settings;
  const listOrNull = (list: readonly string[] | undefined): string[] | null => (list === undefined ? null : [...list]);
  return {
    id,
    name,
    limits: {
      concurrentCalls: limits?.concurrentCalls ?? null,
      creationsPerMinute: limits?.creationsPerMinute ?? null,
      concurrentTranscriptions: limits?.concurrentTranscriptions ?? null,
    },
    retention: {
      recordingDays: retention?.recording ?? null,
      transcriptDays: retention?.transcript ?? null,
      recordDays: retention?.record ?? null,
    },
    providers: {
      stt: listOrNull(providers?.stt),
      llm: listOrNull(providers?.llm),
      tts: listOrNull(providers?.tts),
    },
    voices: listOrNull(voices),
    languages: listOrNull(languages),
    createdAt: isoTime(createdAtMs),
    updatedAt: isoTime(updatedAtMs),
  };
};
