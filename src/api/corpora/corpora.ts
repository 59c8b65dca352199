import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { asCorpusId, type CorpusId } from "../../core/ids.ts";
import { CORPORA_PER_ACCOUNT_MAX } from "../../core/limits/knowledge/corpora.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { CorpusStore } from "../../store/corpora/corpus-store.ts";
import { actOf } from "../http/access/auth.ts";
import { ApiError, found, notFound } from "../http/errors.ts";
import { NoQuery } from "../http/requests/query.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import {
  LARGE_RESPONSE_ERRORS,
  type LargeResponsesDeps,
  largeResponseHooks,
} from "../http/responses/large-response-hooks.ts";
import { pageOf } from "../http/responses/pages.ts";
import { corpusItemOf } from "./items.ts";
import { CorpusItem, CorpusPage } from "./response-schemas.ts";
import { CorpusChangesBody, CorpusFilters, CorpusParams, NewCorpusBody } from "./schemas.ts";

export interface CorpusRoutesDeps extends LargeResponsesDeps {
  corpora: CorpusStore;
  log: Logger;
}

const tags = ["corpora"];
/** About a dozen with the longest metadata fill a page. */
const CORPORA_PER_READ = 25;

const CREATE = {
  operationId: "createCorpus",
  scope: "write",
  tags,
  summary: "Create a corpus",
  description: "Creates a corpus without documents.",
  querystring: NoQuery,
  body: NewCorpusBody,
  response: { 201: CorpusItem },
  responseHeaders: { 201: ["Location"] },
  errors: ["conflict", "unavailable"],
} as const;

const LIST = {
  operationId: "listCorpora",
  scope: "read",
  tags,
  summary: "List corpora",
  description: "The account's corpora, newest first.",
  querystring: CorpusFilters,
  response: { 200: CorpusPage },
  errors: LARGE_RESPONSE_ERRORS,
} as const;

const READ = {
  operationId: "getCorpus",
  scope: "read",
  tags,
  summary: "Read a corpus",
  description: "A corpus, with the number of its documents by state.",
  params: CorpusParams,
  querystring: NoQuery,
  response: { 200: CorpusItem },
  errors: ["not_found"],
} as const;

const CHANGE = {
  operationId: "updateCorpus",
  scope: "write",
  tags,
  summary: "Change a corpus",
  description:
    "Changes the fields that are given. With another language its documents are indexed again; where their sentences end is decided when " +
    "they are processed.",
  params: CorpusParams,
  querystring: NoQuery,
  body: CorpusChangesBody,
  response: { 200: CorpusItem },
  errors: ["not_found", "unavailable"],
} as const;

const DELETE = {
  operationId: "deleteCorpus",
  scope: "write",
  tags,
  summary: "Delete a corpus",
  description:
    "Deletes the corpus with its documents: from now on nothing of them can be read or found, and shortly after nothing of them is stored. " +
    "Agents that name it stay as they are, and answer without it.",
  params: CorpusParams,
  querystring: NoQuery,
  response: { 204: z.undefined().meta({ description: "The corpus was deleted." }) },
  errors: ["not_found", "unavailable"],
} as const;

/** Registers the routes of corpora, without those of their documents, in `scope`, which must require an API key. */
export function corpusRoutes(scope: FastifyInstance, deps: CorpusRoutesDeps): void {
  const { corpora, log } = deps;
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const sizeOf = async (id: CorpusId) => (await corpora.sizes([id])).get(id);

  app.post("/corpora", { schema: CREATE }, async (request, reply) => {
    const { accountId, id: requestId, body } = request;
    const definition = { ...body, languageId: canonical(body.languageId) };
    const corpus = await corpora.create(accountId, definition, actOf(request));
    if (corpus === undefined)
      throw new ApiError("conflict", `the account has reached its limit of ${CORPORA_PER_ACCOUNT_MAX} corpora`);
    log.info({ corpusId: corpus.id, accountId, requestId }, "corpus created");
    return reply
      .code(201)
      .header("location", `${scope.prefix}/corpora/${corpus.id}`)
      .send(corpusItemOf(corpus, undefined));
  });

  app.get("/corpora", { schema: LIST, ...largeResponseHooks(deps.largeResponses) }, async (request) => {
    const { accountId } = request;
    const { limit, cursor } = request.query;
    const list = ["corpora", accountId];
    let before: CorpusId | undefined = cursor === undefined ? undefined : asCorpusId(idOf(cursor, list));
    const { items: data, more } = await pageOf<z.output<typeof CorpusItem>>(
      limit,
      CORPORA_PER_READ,
      async (_, count) => {
        const page = await corpora.list({ accountId, before, limit: count });
        before = page.corpora.at(-1)?.id;
        const sizes = await corpora.sizes(page.corpora.map(({ id }) => id));
        return { items: page.corpora.map((one) => corpusItemOf(one, sizes.get(one.id))), more: page.more };
      },
    );
    const last = more ? data.at(-1) : undefined;
    return { data, nextCursor: last === undefined ? null : cursorOf(last.id, list) };
  });

  app.get("/corpora/:id", { schema: READ }, async ({ accountId, params: { id } }) =>
    corpusItemOf(found(await corpora.get(accountId, id), "corpus"), await sizeOf(id)),
  );

  app.patch("/corpora/:id", { schema: CHANGE }, async (request) => {
    const { accountId, params, body } = request;
    const { languageId } = body;
    const changes = { ...body, ...(languageId !== undefined && { languageId: canonical(languageId) }) };
    const corpus = found(await corpora.update(accountId, params.id, changes, actOf(request)), "corpus");
    return corpusItemOf(corpus, await sizeOf(corpus.id));
  });

  app.delete("/corpora/:id", { schema: DELETE }, async (request, reply) => {
    const { accountId, params, id: requestId } = request;
    if (!(await corpora.remove(accountId, params.id, actOf(request)))) throw notFound("corpus");
    log.info({ corpusId: params.id, accountId, requestId }, "corpus deleted");
    return reply.code(204).send();
  });
}

/** A language tag as it is usually written: `de-CH` for `DE-ch`. */
const canonical = (tag: string): string => Intl.getCanonicalLocales(tag)[0] ?? tag;
