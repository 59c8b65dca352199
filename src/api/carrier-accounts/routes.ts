import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { CarrierName } from "../../carriers/list.ts";
import type { CarrierType } from "../../core/calls/spec.ts";
import { isoTime } from "../../core/clock.ts";
import { asCarrierId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { CARRIERS_MAX } from "../../core/limits/phone/carriers.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { Carrier, CarrierStore, UnsettledCalls } from "../../store/telephony/carrier-store.ts";
import type { CarrierAccounts } from "../../telephony/carrier-accounts.ts";
import { actOf } from "../http/access/auth.ts";
import { ApiError, found, invalidRequest, type Problem } from "../http/errors.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { problemWithoutValue, schemaProblems } from "../http/requests/validation.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import { credentialsError } from "./errors.ts";
import {
  CarrierChangesBody,
  CarrierFilters,
  CarrierItem,
  CarrierList,
  CarrierParams,
  NewCarrierBody,
} from "./schemas.ts";

export interface CarrierRoutesDeps {
  carriers: CarrierStore;
  carrierAccounts: CarrierAccounts;
  log: Logger;
}

/** When the account at the carrier is used by nothing. */
const WHEN_UNUSED = "once you detach its numbers, its calls are over, and the carrier has confirmed their hang-ups";

const scope = "admin";
const tags = ["carriers"];

const CREATE = {
  operationId: "createCarrier",
  scope,
  tags,
  summary: "Store credentials of a carrier",
  description:
    "The service asks the carrier by a request that changes nothing whether it accepts them, and stores them then. 400 names the status " +
    "that the carrier answered with, 503 says that it could not be asked.",
  querystring: NoQuery,
  body: NewCarrierBody,
  response: { 201: CarrierItem },
  errors: ["conflict", "unavailable"],
} as const;

const LIST = {
  operationId: "listCarriers",
  scope,
  tags,
  summary: "List carriers",
  description: `The account's carriers, oldest first; there are at most ${CARRIERS_MAX}.`,
  querystring: CarrierFilters,
  response: { 200: CarrierList },
} as const;

const READ = {
  operationId: "getCarrier",
  scope,
  tags,
  summary: "Read a carrier",
  description: "One of the account's carriers, without its secrets.",
  params: CarrierParams,
  querystring: NoQuery,
  response: { 200: CarrierItem },
  errors: ["not_found"],
} as const;

const UPDATE = {
  operationId: "updateCarrier",
  scope,
  tags,
  summary: "Change a carrier",
  description:
    "Its name, its limits, or its credentials, which are checked as new ones are. Webhooks and streams that the carrier signs with the " +
    "earlier credentials are refused from then on. 409 for credentials of another account or application there (`accountSid`, `connectionId`, `authId`), while the carrier is in " +
    "use: a number is attached, a call is not over, or the carrier has not confirmed a hang-up.",
  params: CarrierParams,
  querystring: NoQuery,
  body: CarrierChangesBody,
  response: { 200: CarrierItem },
  errors: ["not_found", "conflict", "unavailable"],
} as const;

const DELETE = {
  operationId: "deleteCarrier",
  scope,
  tags,
  summary: "Delete a carrier",
  description:
    "Deletes the credentials, and the carrier's numbers from the account. 409 while one of them is attached, a call of it is not over, " +
    "the carrier has not confirmed a hang-up, or a call that ended `unknown` within the last hour may ring late; the message names these.",
  params: CarrierParams,
  querystring: NoQuery,
  response: { 204: z.undefined().meta({ description: "The carrier was deleted." }) },
  errors: ["not_found", "conflict"],
} as const;

/** Registers the routes of `/carriers` in `fastify`, which must require an API key. */
export function carrierRoutes(fastify: FastifyInstance, deps: CarrierRoutesDeps): void {
  const app = fastify.withTypeProvider<ZodTypeProvider>();
  const { carriers, carrierAccounts, log } = deps;
  const itemOf = (carrier: Carrier) => carrierItem(carrier, carrierAccounts);

  app.post("/carriers", { schema: CREATE, attachValidation: true }, async (request, reply) => {
    const { accountId, id: requestId } = request;
    const checked = requireValid(request, carrierAccounts, undefined);
    const { credentials: _, ...body } = request.body;
    if ((await carriers.list(accountId, { limit: CARRIERS_MAX })).carriers.length >= CARRIERS_MAX) {
      throw new ApiError("conflict", `the account has reached its limit of ${CARRIERS_MAX} carriers`);
    }
    await verify(carrierAccounts, body.carrier, checked);
    const carrier = await carriers.create(
      accountId,
      {
        carrier: body.carrier,
        name: body.name,
        callsPerSecond: body.callsPerSecond,
        ...checked,
        ...(body.maxConcurrentCalls !== null && { maxConcurrentCalls: body.maxConcurrentCalls }),
        ...(body.allowedCountries !== null && { allowedCountries: body.allowedCountries }),
        ...(body.allowedNumbers !== null && { allowedNumbers: body.allowedNumbers }),
      },
      actOf(request),
    );
    log.info({ accountId, requestId, carrierId: carrier.id, carrier: carrier.carrier }, "carrier stored");
    return reply.code(201).header("location", `${fastify.prefix}/carriers/${carrier.id}`).send(itemOf(carrier));
  });

  app.get("/carriers", { schema: LIST }, async ({ accountId, query }) => {
    const list = ["carriers", accountId];
    const afterId = query.cursor === undefined ? undefined : asCarrierId(idOf(query.cursor, list));
    const page = await carriers.list(accountId, { afterId, limit: query.limit });
    const last = page.carriers.at(-1);
    const nextCursor = page.more && last !== undefined ? cursorOf(last.id, list) : null;
    return { data: page.carriers.map(itemOf), nextCursor };
  });

  app.get("/carriers/:id", { schema: READ }, async ({ accountId, params }) =>
    itemOf(found(await carriers.get(accountId, params.id), "carrier")),
  );

  app.patch("/carriers/:id", { schema: UPDATE, attachValidation: true }, async (request) => {
    const { accountId, params, id: requestId } = request;
    const before = found(await carriers.get(accountId, params.id), "carrier");
    const checked = requireValid(request, carrierAccounts, before.carrier);
    const { credentials, ...change } = request.body;
    if (credentials !== undefined) await verify(carrierAccounts, before.carrier, checked);
    const given = { ...change, ...(credentials !== undefined && checked) };
    const identity = identityOf(carrierAccounts, before.carrier);
    const changed = found(
      await carriers.update(accountId, params.id, withoutUndefined(given), actOf(request), identity),
      "carrier",
    );
    refuseUsed(changed, `${identity.join(", ")} can be changed`);
    log.info({ accountId, requestId, carrierId: changed.id, carrier: changed.carrier }, "carrier changed");
    return itemOf(changed);
  });

  app.delete("/carriers/:id", { schema: DELETE }, async (request, reply) => {
    const { accountId, params, id: requestId } = request;
    const removed = found(await carriers.remove(accountId, params.id, actOf(request)), "carrier");
    refuseUsed(removed, "it can be deleted");
    log.info({ accountId, requestId, carrierId: removed.id, carrier: removed.carrier }, "carrier deleted");
    return reply.code(204).send();
  });
}

/** Throws 409 where the account at the carrier is still needed; `what` says what is not done meanwhile. */
function refuseUsed(result: Carrier | "in_use" | UnsettledCalls, what: string): asserts result is Carrier {
  if (result === "in_use") throw new ApiError("conflict", `the carrier is in use: ${what} ${WHEN_UNUSED}`);
  if (!("callIds" in result)) return;
  const { callIds, untilMs } = result;
  throw new ApiError(
    "conflict",
    `it is not known whether the carrier has placed ${callIds.join(", ")}: ${what} from ${isoTime(untilMs)} on, so that a call that rings ` +
      "late is hung up",
  );
}

/** The names of the credentials that say which account or application of the carrier it is. */
const identityOf = (
  carrierAccounts: Pick<CarrierAccounts, "credentialFields">,
  carrier: CarrierType,
): readonly string[] =>
  (carrierAccounts.credentialFields(carrier) ?? []).flatMap(({ name, isIdentity }) => (isIdentity ? [name] : []));

interface CheckedCredentials {
  credentials: Readonly<Record<string, string>>;
  publicCredentials: Readonly<Record<string, string>>;
}

/** Throws ApiError where the carrier does not accept the credentials, or cannot be asked. */
async function verify(
  carrierAccounts: Pick<CarrierAccounts, "verify">,
  carrier: CarrierType,
  { credentials }: CheckedCredentials,
): Promise<void> {
  const answer = await carrierAccounts.verify(carrier, credentials);
  if (answer.kind !== "done") throw credentialsError(carrier, answer);
}

/** Reports credentials of a wrong form together with the problems that the schema finds. `known` is the carrier of a stored one. */
function requireValid(
  request: FastifyRequest,
  carrierAccounts: Pick<CarrierAccounts, "credentialFields">,
  known: CarrierType | undefined,
): CheckedCredentials {
  const body = isObject(request.body) ? request.body : {};
  const problems = [...schemaProblems(request), ...noQueryProblems(request.query)];
  const fields = carrierAccounts.credentialFields(known ?? (body.carrier as CarrierType)) ?? [];
  const { credentials: given } = body;
  const wrong = isObject(given) && fields.length > 0 ? credentialProblems(given, fields) : [];
  if (problems.length + wrong.length > 0) throw invalidRequest([...problems, ...wrong]);
  const credentials = (given ?? {}) as Readonly<Record<string, string>>;
  const shown = fields.filter(({ name, isSecret }) => !isSecret && name in credentials);
  return {
    credentials,
    publicCredentials: Object.fromEntries(shown.map(({ name }) => [name, credentials[name] ?? ""])),
  };
}

type Fields = NonNullable<ReturnType<CarrierAccounts["credentialFields"]>>;

/** No problem shows a value, because it may be a secret in the wrong place. */
function credentialProblems(given: Readonly<Record<string, unknown>>, fields: Fields): readonly Problem[] {
  const names = fields.map(({ name }) => name);
  const isUnknown = Object.keys(given).some((name) => !names.includes(name));
  const wrong = fields.filter(({ name, pattern }) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    return typeof value !== "string" || !pattern.test(value);
  });
  return [
    ...(isUnknown ? [problemWithoutValue(["credentials"], `must have no other fields than ${names.join(", ")}`)] : []),
    ...wrong.map(({ name, rule }) => problemWithoutValue(["credentials", name], rule)),
  ];
}

/** The members that were given. */
const withoutUndefined = <Members extends object>(members: Members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

const carrierItem = (
  carrier: Carrier,
  carrierAccounts: Pick<CarrierAccounts, "callbackUrls" | "isEmulated">,
): z.output<typeof CarrierItem> => ({
  id: carrier.id,
  carrier: carrier.carrier as CarrierName,
  name: carrier.name,
  credentials: { ...carrier.publicCredentials },
  webhookUrls: carrierAccounts.callbackUrls(carrier.webhookKey) ?? null,
  emulated: carrierAccounts.isEmulated(carrier.carrier),
  maxConcurrentCalls: carrier.maxConcurrentCalls ?? null,
  callsPerSecond: carrier.callsPerSecond,
  allowedCountries: carrier.allowedCountries === undefined ? null : [...carrier.allowedCountries],
  allowedNumbers: carrier.allowedNumbers === undefined ? null : [...carrier.allowedNumbers],
  createdAt: isoTime(carrier.createdAtMs),
  updatedAt: isoTime(carrier.updatedAtMs),
  verifiedAt: isoTime(carrier.verifiedAtMs),
});
