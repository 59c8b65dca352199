import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { isoTime } from "../../core/clock.ts";
import { asAgentId, asPhoneNumberId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { PHONE_NUMBERS_MAX } from "../../core/limits/phone/carriers.ts";
import type { Logger } from "../../core/log/logger.ts";
import { isAllowedToolUrl } from "../../core/tools/addresses.ts";
import type { AgentStore } from "../../store/agent-store.ts";
import type { CarrierStore } from "../../store/telephony/carrier-store.ts";
import type { InboundWebhookStore } from "../../store/telephony/inbound-webhook-store.ts";
import type { PhoneNumber, PhoneNumberStore } from "../../store/telephony/phone-number-store.ts";
import type { CarrierAccounts } from "../../telephony/carrier-accounts.ts";
import { carrierError, openedCarrier } from "../carrier-accounts/errors.ts";
import { actOf } from "../http/access/auth.ts";
import { ApiError, found, invalidRequest } from "../http/errors.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { problem, schemaProblems } from "../http/requests/validation.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import { attachNumber, detachNumber, testCallTo } from "./attachment.ts";
import {
  ChangedPhoneNumber,
  DetachBody,
  EmptyBody,
  ImportBody,
  ImportedNumbers,
  PhoneNumberChangesBody,
  PhoneNumberFilters,
  PhoneNumberItem,
  PhoneNumberList,
  PhoneNumberParams,
  TestCallBody,
  TestCallItem,
} from "./schemas.ts";

export interface PhoneNumberRoutesDeps {
  phoneNumbers: PhoneNumberStore;
  inboundWebhooks: Pick<InboundWebhookStore, "set">;
  carriers: Pick<CarrierStore, "get" | "open">;
  carrierAccounts: CarrierAccounts;
  agents: Pick<AgentStore, "get">;
  /** Whether a number's webhook may be on this machine; for tests and trials. */
  webhooksAllowLoopback: boolean;
  log: Logger;
}

const tags = ["phone-numbers"];

const IMPORT = {
  operationId: "importPhoneNumbers",
  scope: "write",
  tags,
  summary: "Import the numbers of a carrier",
  description:
    "Asks the carrier for a page of the numbers that the account has there, and stores those that are new. Nothing changes at the carrier. " +
    "A number that the account has at another carrier stays there, and is left out of the answer. " +
    "Where `nextCursor` is a string, the same request with it as `cursor` imports the next page.",
  querystring: NoQuery,
  body: ImportBody,
  response: { 200: ImportedNumbers },
  errors: ["not_found", "conflict", "unavailable"],
} as const;

const LIST = {
  operationId: "listPhoneNumbers",
  scope: "read",
  tags,
  summary: "List telephone numbers",
  description: "The account's telephone numbers, oldest first.",
  querystring: PhoneNumberFilters,
  response: { 200: PhoneNumberList },
} as const;

const READ = {
  operationId: "getPhoneNumber",
  scope: "read",
  tags,
  summary: "Read a telephone number",
  description: "One of the account's telephone numbers.",
  params: PhoneNumberParams,
  querystring: NoQuery,
  response: { 200: PhoneNumberItem },
  errors: ["not_found"],
} as const;

const UPDATE = {
  operationId: "updatePhoneNumber",
  scope: "write",
  tags,
  summary: "Change a telephone number",
  description: "Its name, its agent, its webhook and its limits; the next call follows them.",
  params: PhoneNumberParams,
  querystring: NoQuery,
  body: PhoneNumberChangesBody,
  response: { 200: ChangedPhoneNumber },
  errors: ["not_found"],
} as const;

const ATTACH = {
  operationId: "attachPhoneNumber",
  scope: "write",
  tags,
  summary: "Attach a telephone number",
  description:
    "Has the carrier send the calls of the number to this service. What the carrier did with them before is stored, and restored when the " +
    "number is detached. Attaching it again repeats the requests to the carrier.",
  params: PhoneNumberParams,
  querystring: NoQuery,
  body: EmptyBody,
  response: { 200: PhoneNumberItem },
  errors: ["not_found", "conflict", "unavailable"],
} as const;

const DETACH = {
  operationId: "detachPhoneNumber",
  scope: "write",
  tags,
  summary: "Detach a telephone number",
  description:
    "Has the carrier do with the calls of the number what it did before it was attached. A number that is not attached stays as it is.",
  params: PhoneNumberParams,
  querystring: NoQuery,
  body: DetachBody,
  response: { 200: PhoneNumberItem },
  errors: ["not_found", "conflict", "unavailable"],
} as const;

const TEST_CALL = {
  operationId: "testCallPhoneNumber",
  scope: "calls",
  tags,
  summary: "Have a person of an emulated carrier call",
  description:
    "For development: a person of the emulator calls the number, and its agent answers. 409 where the API of the carrier is no emulator on " +
    "this machine, and while the number is not attached.",
  params: PhoneNumberParams,
  querystring: NoQuery,
  body: TestCallBody,
  response: { 202: TestCallItem },
  errors: ["not_found", "conflict", "unavailable"],
} as const;

const DELETE = {
  operationId: "deletePhoneNumber",
  scope: "write",
  tags,
  summary: "Delete a telephone number",
  description: "Deletes it from the account; the carrier keeps it. 409 while it is attached.",
  params: PhoneNumberParams,
  querystring: NoQuery,
  response: { 204: z.undefined().meta({ description: "The number was deleted." }) },
  errors: ["not_found", "conflict"],
} as const;

/** Registers the routes of `/phone-numbers` in `fastify`, which must require an API key. */
export function phoneNumberRoutes(fastify: FastifyInstance, deps: PhoneNumberRoutesDeps): void {
  const app = fastify.withTypeProvider<ZodTypeProvider>();
  const { phoneNumbers, log } = deps;

  app.post("/phone-numbers/import", { schema: IMPORT }, async (request) => {
    const { accountId, id: requestId, body } = request;
    const { numbers, nextCursor } = await importPage(deps, request, body);
    log.info({ accountId, requestId, carrierId: body.carrierId, count: numbers.length }, "phone numbers imported");
    return { data: numbers.map(itemOf), nextCursor };
  });

  app.get("/phone-numbers", { schema: LIST }, async ({ accountId, query }) => {
    const { limit, cursor, carrierId } = query;
    const list = ["phone-numbers", accountId, { carrierId }];
    const afterId = cursor === undefined ? undefined : asPhoneNumberId(idOf(cursor, list));
    const { numbers, more } = await phoneNumbers.list(accountId, { carrierId, afterId, limit });
    const last = numbers.at(-1);
    return { data: numbers.map(itemOf), nextCursor: more && last !== undefined ? cursorOf(last.id, list) : null };
  });

  app.get("/phone-numbers/:id", { schema: READ }, async ({ accountId, params }) =>
    itemOf(found(await phoneNumbers.get(accountId, params.id), "phone number")),
  );

  app.patch("/phone-numbers/:id", { schema: UPDATE, attachValidation: true }, async (request) => {
    await requireValid(deps, request);
    const { accountId, params } = request;
    const { inboundWebhookUrl: url, ...change } = request.body;
    if (typeof url === "string") {
      const set = await deps.inboundWebhooks.set(accountId, params.id, url, change, actOf(request));
      const { number, secret } = found(set, "phone number");
      return { ...itemOf(number), inboundWebhookSecret: secret };
    }
    const rest = { ...change, inboundWebhookUrl: url };
    return itemOf(found(await phoneNumbers.update(accountId, params.id, rest, actOf(request)), "phone number"));
  });

  app.post("/phone-numbers/:id/attach", { schema: ATTACH }, async (request) => {
    const { accountId, params, id: requestId } = request;
    const number = found(await phoneNumbers.get(accountId, params.id), "phone number");
    const attached = await attachNumber(deps, number, actOf(request));
    log.info({ accountId, requestId, phoneNumberId: number.id }, "phone number attached");
    return itemOf(attached);
  });

  app.post("/phone-numbers/:id/detach", { schema: DETACH }, async (request) => {
    const { accountId, params, body, id: requestId } = request;
    const number = found(await phoneNumbers.get(accountId, params.id), "phone number");
    if (!number.isAttached) return itemOf(number);
    const detached = await detachNumber(deps, number, { force: body?.force ?? false, act: actOf(request) });
    log.info({ accountId, requestId, phoneNumberId: number.id }, "phone number detached");
    return itemOf(detached);
  });

  app.post("/phone-numbers/:id/test-call", { schema: TEST_CALL }, async (request, reply) => {
    const { accountId, params, body, id: requestId } = request;
    const number = found(await phoneNumbers.get(accountId, params.id), "phone number");
    const call = await testCallTo(deps, number, body?.says ?? []);
    log.info({ accountId, requestId, phoneNumberId: number.id }, "test call requested");
    return reply.code(202).send(call);
  });

  app.delete("/phone-numbers/:id", { schema: DELETE }, async (request, reply) => {
    const { accountId, params } = request;
    const removed = found(await phoneNumbers.remove(accountId, params.id, actOf(request)), "phone number");
    if (removed === "attached") throw new ApiError("conflict", "the number is attached: detach it first");
    return reply.code(204).send();
  });
}

/** Imports one page of the carrier's list. */
async function importPage(
  { carriers, carrierAccounts, phoneNumbers }: PhoneNumberRoutesDeps,
  request: FastifyRequest,
  { carrierId, cursor }: z.output<typeof ImportBody>,
): Promise<{ numbers: readonly PhoneNumber[]; nextCursor: string | null }> {
  const { accountId } = request;
  const opened = await openedCarrier(carriers, { accountId, carrierId });
  const list = ["numbers of a carrier", accountId, carrierId];
  const page = await carrierAccounts.listNumbers(opened, cursor === undefined ? undefined : idOf(cursor, list));
  if (page.kind !== "done") throw carrierError(opened.carrier.carrier, page, "the list of its numbers");
  const given = page.value.numbers.map((number) => ({ ...number, carrierId, name: number.number }));
  const numbers = await phoneNumbers.import(accountId, given, actOf(request));
  if (numbers.length < new Set(given.map(({ number }) => number)).size) {
    throw new ApiError("conflict", `the account has reached its limit of ${PHONE_NUMBERS_MAX} telephone numbers`);
  }
  const { nextPage } = page.value;
  // The account may have the same number at another carrier, which keeps it.
  const ofCarrier = numbers.filter((number) => number.carrierId === carrierId);
  return { numbers: ofCarrier, nextCursor: nextPage === undefined ? null : cursorOf(nextPage, list) };
}

/** Reports an agent that does not exist and an address that is not allowed together with the problems that the schema finds. */
async function requireValid(deps: PhoneNumberRoutesDeps, request: FastifyRequest): Promise<void> {
  const { accountId, query } = request;
  const { agentId, inboundWebhookUrl: url } = isObject(request.body) ? request.body : {};
  const problems = [...schemaProblems(request), ...noQueryProblems(query)];
  if (typeof agentId === "string" && (await deps.agents.get(accountId, asAgentId(agentId))) === undefined) {
    problems.push(problem(["agentId"], "must be an agent of this account", agentId));
  }
  if (typeof url === "string" && URL.canParse(url) && !isAllowedToolUrl(new URL(url), deps.webhooksAllowLoopback)) {
    const rule = "must be an https:// or http:// address of the public internet, without a password";
    problems.push(problem(["inboundWebhookUrl"], rule, url));
  }
  if (problems.length > 0) throw invalidRequest(problems);
}

const itemOf = (number: PhoneNumber): z.output<typeof PhoneNumberItem> => ({
  id: number.id,
  number: number.number,
  carrierId: number.carrierId,
  name: number.name,
  agentId: number.agentId ?? null,
  inboundWebhookUrl: number.inboundWebhookUrl ?? null,
  maxConcurrentCalls: number.maxConcurrentCalls ?? null,
  refusalText: number.refusalText ?? null,
  attached: number.isAttached,
  createdAt: isoTime(number.createdAtMs),
  updatedAt: isoTime(number.updatedAtMs),
});
