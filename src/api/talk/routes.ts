import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { type Clock, isoTime } from "../../core/clock.ts";
import { type EpochMs, elapsedMs } from "../../core/clocks.ts";
import type { AccountId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { SCRATCH_CALL_S_MAX } from "../../core/limits/accounts/owner-links.ts";
import type { Logger } from "../../core/log/logger.ts";
import { maySpeak } from "../../speech/tts/voice-matching.ts";
import { BY_SERVICE } from "../../store/accounts/audit-store.ts";
import type { OwnerLinkStore } from "../../store/accounts/owner-link-store.ts";
import { type CallCreationDeps, createCall, refuseEarly } from "../calls/create.ts";
import { NewCallBody } from "../calls/schemas/request-schemas.ts";
import { type CallSpecDeps, callSpecOf, offerTo } from "../calls/spec.ts";
import { ApiError, invalidRequest } from "../http/errors.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { schemaProblems } from "../http/requests/validation.ts";
import { csrfTokenOf, isSecure, requireOwnSite } from "../session/auth.ts";
import { cookieHeader } from "../session/cookies.ts";
import { givenSecretProblems } from "../session/schemas.ts";
import { ScratchRates } from "./call-rates.ts";
import { type OwnerRoutesDeps, ownerRoutes } from "./owner.ts";
import { currentPage, findPage } from "./owner-page.ts";
import { OpenBody, ScratchCallBody, VoicesQuery } from "./schemas.ts";

export interface TalkRoutesDeps extends CallCreationDeps, CallSpecDeps, OwnerRoutesDeps {
  ownerLinks: Pick<OwnerLinkStore, "use" | "findPage">;
  publicApiUrls: readonly string[];
  clock: Clock;
  log: Logger;
}

/** The page uses these routes, not programs: docs/browser.md describes them, and the OpenAPI document does not. */
const hide = true;

/** Registers what the page /talk asks for in `fastify`, whose prefix is `/talk`. */
export function talkRoutes(fastify: FastifyInstance, deps: TalkRoutesDeps): void {
  const app = fastify.withTypeProvider<ZodTypeProvider>();
  const rates = new ScratchRates(deps.clock);
  ownerRoutes(fastify, deps);

  app.post("/session", { schema: { hide, body: OpenBody }, attachValidation: true }, async (request, reply) => {
    requireOwnSite(request);
    const token = isObject(request.body) ? request.body.token : undefined;
    requireNone([
      ...schemaProblems(request),
      ...noQueryProblems(request.query),
      ...givenSecretProblems(["token"], token),
    ]);
    const page = await deps.ownerLinks.use(String(token), { ...BY_SERVICE, requestId: request.id });
    if (page === undefined) throw linkEnded();
    deps.log.info({ requestId: request.id }, "owner link used");
    const maxAgeMs = elapsedMs(deps.clock.epochMs(), page.expiresAtMs);
    void reply.header("set-cookie", cookieHeader("talk", page.secret, maxAgeMs, isSecure(request, deps)));
    return pageItemOf(page, deps);
  });

  // Without a page this is no error, which browsers would report: most who open /talk have no link.
  app.get("/session", { schema: { hide, querystring: NoQuery } }, async (request, reply) => {
    const page = await findPage(request, deps);
    return page === undefined ? reply.code(204).send() : pageItemOf(page, deps);
  });

  app.get("/languages", { schema: { hide, querystring: NoQuery } }, async (request) => {
    const { account } = await currentPage(request, deps);
    const languages = await deps.voices.forAccount(account.settings).languages();
    return { data: languages.map(({ code, name }) => ({ code, name })) };
  });

  app.get("/voices", { schema: { hide, querystring: VoicesQuery } }, async (request) => {
    const { account } = await currentPage(request, deps);
    const voices = await deps.voices.forAccount(account.settings).voices();
    return { data: voices.filter((voice) => maySpeak(voice, request.query.language)) };
  });

  app.post("/calls", { schema: { hide, body: ScratchCallBody }, attachValidation: true }, async (request, reply) => {
    const { accountId, account, secret } = await currentPage(request, deps);
    rates.take(secret);
    return startCall(request, reply, { accountId, account }, deps);
  });
}

/** Starts a call of the page's account, as `POST /calls` does. */
async function startCall(
  request: FastifyRequest,
  reply: FastifyReply,
  owner: Pick<FastifyRequest, "accountId" | "account">,
  deps: TalkRoutesDeps,
): Promise<object> {
  Object.assign(request, owner);
  const problems = [...schemaProblems(request), ...noQueryProblems(request.query)];
  refuseEarly(deps, request, problems);
  const given = isObject(request.body) ? request.body : {};
  const body = { connectionType: "websocket", ...given, maxDuration: SCRATCH_CALL_S_MAX };
  const spec = await callSpecOf(
    problems.length > 0 ? (body as unknown as NewCallBody) : NewCallBody.parse(body),
    problems,
    owner.accountId,
    offerTo(deps, owner.account),
  );
  const created = await createCall(deps, request, reply, spec);
  // The page cannot read the call: it has no API key.
  void reply.removeHeader("location");
  return created;
}

const pageItemOf = async (
  { accountId, secret, expiresAtMs }: { accountId: AccountId; secret: string; expiresAtMs: EpochMs },
  { users }: Pick<TalkRoutesDeps, "users">,
) => ({
  csrfToken: csrfTokenOf(secret),
  expiresAt: isoTime(expiresAtMs),
  // Without one the page offers to create it.
  hasOwner: await users.ownerExists(accountId),
});

function requireNone(problems: Parameters<typeof invalidRequest>[0]): void {
  if (problems.length > 0) throw invalidRequest(problems);
}

const linkEnded = (): ApiError =>
  new ApiError(
    "not_found",
    "this link was used, has expired or was replaced: npm run admin -- owner-link makes another one",
  );
