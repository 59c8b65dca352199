import type { FastifyInstance } from "fastify";
import { type CorpusRoutesDeps, corpusRoutes } from "./corpora.ts";
import { type DocumentRoutesDeps, documentRoutes } from "./documents.ts";
import { type CorpusQueryDeps, corpusQueryRoutes } from "./query.ts";
import { corpusRetrievalRoutes } from "./retrievals.ts";

export interface KnowledgeRoutesDeps extends CorpusQueryDeps, CorpusRoutesDeps, DocumentRoutesDeps {
  corpora: CorpusRoutesDeps["corpora"];
}

/** Registers `/corpora` with everything below it in `scope`, which must require an API key. */
export function knowledgeRoutes(scope: FastifyInstance, deps: KnowledgeRoutesDeps): void {
  corpusRoutes(scope, deps);
  corpusQueryRoutes(scope, deps);
  corpusRetrievalRoutes(scope, deps);
  documentRoutes(scope, deps);
}
