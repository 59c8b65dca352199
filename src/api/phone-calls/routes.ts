import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { CARRIER_NAMES } from "../../carriers/list.ts";
import type { PhoneRequest } from "../../core/calls/phone-requests.ts";
import type { CallSpec } from "../../core/calls/spec.ts";
import { asAgentId, asPhoneNumberId, type CallId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import {
  PHONE_CALLS_WAITING_ACCOUNT_MAX,
  PHONE_CALLS_WAITING_MAX,
  RING_S_DEFAULT,
  WAITING_RETRY_S,
} from "../../core/limits/phone/phone-calls.ts";
import type { CallAdmission } from "../../store/admission/call-admission.ts";
import type { CallAgent, CallStore, LimitReached } from "../../store/calls/call-store.ts";
import type { Carrier, CarrierStore } from "../../store/telephony/carrier-store.ts";
import type { PhoneCallCreation } from "../../store/telephony/phone-call-store.ts";
import type { PhoneNumber, PhoneNumberStore } from "../../store/telephony/phone-number-store.ts";
import { destinationRefusal, REFUSAL_RULES } from "../../telephony/destinations.ts";
import type { PhoneCalls } from "../../telephony/phone-calls.ts";
import { agentSpecOf } from "../agents/call.ts";
import type { AgentRoutesDeps } from "../agents/saving.ts";
import { AgentCallBody } from "../agents/schemas.ts";
import type { CallFacts } from "../agents/variables.ts";
import { CREATE_CALL_OPTIONS, problemsOfRequest, refusalOf, refuseEarly } from "../calls/create.ts";
import { type HeldSince, itemOf } from "../calls/item.ts";
import { NewCallBody } from "../calls/schemas/request-schemas.ts";
import { CallItem, CallParams } from "../calls/schemas/response-schemas.ts";
import { callSpecOf, offerTo } from "../calls/spec.ts";
import { ApiError, accountLimitError, invalidRequest, notFound, type Problem, REFUSAL_CODES } from "../http/errors.ts";
import { IdempotencyHeaders, IdempotencySealer } from "../http/requests/idempotency.ts";
import { NoQuery } from "../http/requests/query.ts";
import { withTraceparent } from "../http/requests/traceparent.ts";
import { problem, problemsOf } from "../http/requests/validation.ts";
import { DtmfBody, NewPhoneCallBody, TransferBody } from "./schemas.ts";

export interface PhoneCallRoutesDeps extends AgentRoutesDeps {
  calls: Pick<CallStore, "get" | "repeatedAgentVersion">;
  heldSince: HeldSince;
  carriers: Pick<CarrierStore, "get">;
  phoneNumbers: Pick<PhoneNumberStore, "get" | "find">;
  /** Undefined where no public address of the service is configured. */
  phoneCalls: Pick<PhoneCalls, "place" | "findRepeated"> | undefined;
  /** See `PhoneCalls.request`; of a live call at its node. Called only where there are `phoneCalls`. */
  requestPhone: PhoneCalls["request"];
  callAdmission: Pick<CallAdmission, "create" | "createQueued">;
}

const scope = "calls" as const;
const tags = ["calls"];

const CREATE = {
  operationId: "createPhoneCall",
  scope,
  tags,
  summary: "Place a telephone call",
  description:
    "Calls a number by telephone. The call is `queued` until a slot and the limits of its carrier allow it to be dialled, then `ringing`, " +
    "and `active` once it is answered. It is placed at most once: where it cannot be known whether the carrier has placed it, it ends " +
    `with \`unknown\`. 429 \`rate_limited\` also where ${PHONE_CALLS_WAITING_MAX} calls of the carrier, or ${PHONE_CALLS_WAITING_ACCOUNT_MAX} of the account, wait to be dialled.`,
  headers: IdempotencyHeaders,
  querystring: NoQuery,
  body: NewPhoneCallBody,
  errors: [
    "unknown_voice",
    "unknown_language",
    "not_found",
    "conflict",
    "idempotency_mismatch",
    "rate_limited",
    "spend_limit",
    "unavailable",
    // A queued call waits for a slot.
    ...REFUSAL_CODES.filter((code) => code !== "overloaded"),
  ] as const,
  response: { 201: CallItem },
  responseHeaders: { 201: ["Idempotent-Replayed"] } as const,
};

const ACCEPTED = CallItem.meta({
  description: "The request was passed on; the events of the call show what comes of it.",
});

const TRANSFER = {
  operationId: "transferCall",
  scope,
  tags,
  summary: "Transfer a telephone call",
  description:
    "Rings another number or SIP address, and joins the caller to it. Where there is no answer, the caller comes back to the agent, " +
    "which knows why. 409 `conflict` for a call that is not live, or is no telephone call of this service.",
  params: CallParams,
  querystring: NoQuery,
  body: TransferBody,
  errors: ["not_found", "conflict", "unavailable", "node_unreachable"] as const,
  response: { 202: ACCEPTED },
};

const DTMF = {
  operationId: "sendDtmf",
  scope,
  tags,
  summary: "Send DTMF digits",
  description:
    "Sends digits to the other end of a telephone call. 409 `conflict` for a call that is not live, or is no telephone call of this service, " +
    "and, where the digits are tones of the media stream, while the call has none or too many digits wait.",
  params: CallParams,
  querystring: NoQuery,
  body: DtmfBody,
  errors: ["not_found", "conflict", "unavailable", "node_unreachable"] as const,
  response: { 202: ACCEPTED },
};

/** Registers `POST /phone-calls` and the requests of live telephone calls in `scope`, which must require an API key. */
export function phoneCallRoutes(scope: FastifyInstance, deps: PhoneCallRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  app.post("/phone-calls", { ...CREATE_CALL_OPTIONS, schema: CREATE }, async (request, reply) => {
    const phoneCalls = available(deps.phoneCalls);
    const found = problemsOfRequest(request);
    refuseEarly(deps, request, found);
    const body: Record<string, unknown> = isObject(request.body) ? request.body : {};
    const line = await lineOf(deps, request, body);
    const problems = [...found, ...line.problems];
    const { spec, agent } = await specOf(deps, request, body, line, problems);
    const { number, carrier } = line;
    if (number === undefined || carrier === undefined) throw invalidRequest(problems);
    const call = {
      accountId: request.accountId,
      apiKeyId: request.apiKeyId || undefined,
      agent,
      spec: withTraceparent({ ...spec, connectionType: carrier.carrier, phoneControl: true }, request),
      facts: { direction: "outbound", from: number.number, to: String(body.to) },
      carrierId: carrier.id,
      phoneNumberId: number.id,
      idempotency: idempotencyOf(request),
    } as const;
    const options = {
      ringMsMax: Number(body.ringTimeout ?? RING_S_DEFAULT) * 1_000,
      carrier: carrier.carrier,
    };
    const creation = await admitted(deps, request, phoneCalls, call, options);
    if (creation.kind === "mismatch") {
      throw new ApiError("idempotency_mismatch", "this Idempotency-Key was already used with another request");
    }
    if (creation.kind === "full") {
      deps.metrics.callLimited(`${creation.of}_waiting`);
      throw tooManyWaiting(creation.of);
    }
    if (creation.kind === "replayed") reply.header("idempotent-replayed", "true");
    reply.code(201);
    reply.header("location", `${request.server.prefix}/calls/${creation.call.id}`);
    return itemOf(creation.call);
  });

  app.post("/calls/:id/transfer", { schema: TRANSFER }, async (request, reply) => {
    const { target } = request.body;
    reply.code(202);
    return await ask(deps, request, request.params.id, { kind: "transfer", target }, problemAt("target", target));
  });

  app.post("/calls/:id/dtmf", { schema: DTMF }, async (request, reply) => {
    const { digits } = request.body;
    reply.code(202);
    return await ask(deps, request, request.params.id, { kind: "send_dtmf", digits }, problemAt("digits", digits));
  });
}

const WAITING_MAX = { carrier: PHONE_CALLS_WAITING_MAX, account: PHONE_CALLS_WAITING_ACCOUNT_MAX };

const tooManyWaiting = (of: keyof typeof WAITING_MAX): ApiError =>
  new ApiError("rate_limited", `the ${of} has reached its limit of ${WAITING_MAX[of]} calls that wait to be dialled`, {
    headers: { "retry-after": String(WAITING_RETRY_S) },
  });

/** Places a call within the limits of its account. Throws ApiError 429 beyond them. */
async function admitted(
  deps: PhoneCallRoutesDeps,
  request: FastifyRequest,
  phoneCalls: Pick<PhoneCalls, "place" | "findRepeated">,
  ...placed: Parameters<PhoneCalls["place"]>
): Promise<Exclude<PhoneCallCreation, LimitReached>> {
  const [call, ways] = placed;
  const over = deps.accountLimitReached(request.accountId);
  const bounds = { limits: request.account.settings.limits, refusal: over && ("spend_limit" as const) };
  const creation = await deps.callAdmission.createQueued(request.accountId, bounds, {
    findRepeated: () => phoneCalls.findRepeated(call),
    create: (creationsPerMinute) => phoneCalls.place({ ...call, creationsPerMinute }, ways),
  });
  if (creation.kind !== "refused") return creation;
  if (over !== undefined) throw accountLimitError(over);
  throw refusalOf(deps, request, creation, ways.carrier);
}

const problemAt =
  (field: string, value: string) =>
  (reason: string): Problem =>
    problem([field], `is refused: ${reason}`, value);

function available<T>(phoneCalls: T | undefined): T {
  if (phoneCalls !== undefined) return phoneCalls;
  throw new ApiError("unavailable", "telephone calls need PUBLIC_API_URL, at which carriers reach the service");
}

/** The number that calls with its carrier, and what is wrong with the telephone side of the request. */
async function lineOf(
  { phoneNumbers, carriers }: PhoneCallRoutesDeps,
  { accountId }: FastifyRequest,
  { to, from, connectionType }: Record<string, unknown>,
): Promise<{ number?: PhoneNumber; carrier?: Carrier; problems: readonly Problem[] }> {
  if (typeof from !== "string") return { problems: [] };
  const number =
    (await phoneNumbers.find(accountId, from)) ?? (await phoneNumbers.get(accountId, asPhoneNumberId(from)));
  const carrier = number && (await carriers.get(accountId, number.carrierId));
  if (number === undefined || carrier === undefined) {
    return {
      problems: [problem(["from"], "must be the id or the number of one of the account's telephone numbers", from)],
    };
  }
  const problems: Problem[] = [];
  if (connectionType !== undefined && connectionType !== carrier.carrier) {
    problems.push(problem(["connectionType"], `must be ${carrier.carrier}, the carrier of \`from\``, connectionType));
  }
  const refusal = typeof to === "string" ? destinationRefusal(to, number.number, carrier) : undefined;
  if (refusal !== undefined) problems.push(problem(["to"], REFUSAL_RULES[refusal], to));
  return { number, carrier, problems };
}

/** The configuration, as `POST /calls` or `POST /agents/{id}/calls` read it. */
async function specOf(
  deps: PhoneCallRoutesDeps,
  { accountId, account }: FastifyRequest,
  body: Record<string, unknown>,
  { number, carrier }: { number?: PhoneNumber; carrier?: Carrier },
  problems: readonly Problem[],
): Promise<{ spec: CallSpec; agent?: CallAgent }> {
  const { to, from, ringTimeout: _, agentId, ...rest } = body;
  const given = { ...rest, connectionType: carrier?.carrier ?? CARRIER_NAMES[0] };
  const offer = offerTo(deps, account);
  if (typeof agentId !== "string") {
    const parsed = NewCallBody.safeParse(given, { reportInput: true });
    const found = parsed.success ? problems : [...problems, ...problemsOf(parsed.error)];
    return { spec: await callSpecOf(parsed.data ?? (given as NewCallBody), found, accountId, offer) };
  }
  const parsed = AgentCallBody.safeParse(given, { reportInput: true });
  const found = parsed.success ? problems : [...problems, ...problemsOf(parsed.error)];
  const agent = await deps.agents.get(accountId, asAgentId(agentId));
  if (agent === undefined) throw found.length > 0 ? invalidRequest(found) : notFound("agent");
  const { spec, variables } = await agentSpecOf(
    { definition: agent, accountId, body: given, found, facts: factsOf(number?.number ?? from, to) },
    offer,
  );
  return { spec, agent: { id: agent.id, version: agent.version, variables } };
}

/** What is no text is refused where it stands. */
const factsOf = (from: unknown, to: unknown): CallFacts => ({
  from: typeof from === "string" ? from : "",
  to: typeof to === "string" ? to : "",
});

/** Undefined for a request without an Idempotency-Key. */
function idempotencyOf({ headers, credential, sentBody }: FastifyRequest) {
  const name = headers["idempotency-key"];
  if (typeof name !== "string" || credential === "") return undefined;
  const { keyHash, fingerprint } = new IdempotencySealer({ name, credential, asked: ["phone-calls", sentBody] }).seal(
    "",
  );
  return { keyHash, fingerprint };
}

/** Has the telephone network do something for a live call. */
async function ask(
  { calls, phoneCalls, requestPhone, heldSince }: PhoneCallRoutesDeps,
  { accountId }: FastifyRequest,
  callId: CallId,
  wanted: PhoneRequest,
  problemOf: (reason: string) => Problem,
) {
  const call = await calls.get(accountId, callId);
  if (call === undefined) throw notFound("call");
  if (call.phone === undefined) throw new ApiError("conflict", "this is no telephone call of the service");
  available(phoneCalls);
  const outcome = await requestPhone(callId, wanted, "api_hangup");
  if (outcome === undefined) throw notFound("call");
  if (outcome.kind === "refused") {
    if (outcome.isInvalid) throw invalidRequest([problemOf(outcome.reason)]);
    throw new ApiError("conflict", outcome.reason);
  }
  return itemOf(call, heldSince(callId));
}
