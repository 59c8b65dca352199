import type { FastifyInstance } from "fastify";
import { type CorpusRoutesDeps, corpusRoutes } from "./corpora.ts";
import { type DocumentRoutesDeps, documentRoutes } from "./documents.ts";

export interface KnowledgeRoutesDeps extends CorpusRoutesDeps, DocumentRoutesDeps {
  corpora: CorpusRoutesDeps["corpora"];
}

/** Registers `/corpora` with everything below it in `scope`, which must require an API key. */
export function knowledgeRoutes(scope: FastifyInstance, deps: KnowledgeRoutesDeps): void {
  corpusRoutes(scope, deps);
  documentRoutes(scope, deps);
}
