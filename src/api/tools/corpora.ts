import { randomBytes } from "node:crypto";
import { type AccountId, asCorpusId, type CorpusId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import type { CallKnowledge, RetrievalMode, WholePart } from "../../core/knowledge/call-knowledge.ts";
import type { Chunk, IndexableDocument } from "../../core/knowledge/chunks.ts";
import { FENCE_BYTES } from "../../core/knowledge/fences.ts";
import {
  CALL_CORPORA_MAX,
  PASSAGES_DEFAULT,
  WHOLE_CORPORA_TOKENS_MAX,
} from "../../core/limits/knowledge/call-knowledge.ts";
import { textTokens } from "../../speech/llm/prompt/text-tokens.ts";
import type { Path } from "../http/display-path.ts";
import type { Problem } from "../http/errors.ts";
import { problem, problemWithoutValue } from "../http/requests/validation.ts";
import type { SelectedTool } from "./schemas.ts";

/** A corpus as calls need it. */
interface FoundCorpus {
  readonly id: CorpusId;
  readonly name: string;
  readonly description: string;
  readonly mode: "search" | "full";
}

/** Finds corpora and reads those that stand whole in a prompt; a `CorpusStore` is one. */
export interface CorpusLookup {
  /** Undefined where the account has no such corpus. */
  get(accountId: AccountId, id: CorpusId): Promise<FoundCorpus | undefined>;
  indexable(id: CorpusId): Promise<readonly IndexableDocument[]>;
  chunks(
    documentId: IndexableDocument["id"],
    version: number,
    fromOrdinal: number,
    limit: number,
  ): Promise<readonly Chunk[]>;
}

/** The overrides of `query_corpus`, whose shape the schema has checked. */
type CorpusOverrides = Partial<{
  corpusIds: readonly string[];
  retrieval: RetrievalMode;
  passagesMax: number;
  allowEffects: boolean;
}>;

const QUERY_CORPUS = "query_corpus";
/** Chunks that are read at a time. */
const CHUNKS_PAGE = 100;

/** The corpora that a request names, and where. */
export interface NamedCorpora {
  readonly at: Path;
  readonly ids: unknown;
}

/** Those that `query_corpus` names among selected tools, which may have any shape. */
export function namedCorpora(selected: unknown, at: Path): readonly NamedCorpora[] {
  if (!Array.isArray(selected)) return [];
  return selected.flatMap((tool, index) => {
    if (!isObject(tool) || tool.toolName !== QUERY_CORPUS) return [];
    const ids = isObject(tool.parameterOverrides) ? tool.parameterOverrides.corpusIds : undefined;
    return [{ at: [...at, index, "parameterOverrides", "corpusIds"], ids }];
  });
}

/**
 * The problems of the corpora of a request. One that does not exist and one of another account are the same. `named` are those of the
 * tool `query_corpus`, which needs some; `agents` those of the agent, which needs none.
 */
export async function corpusProblems(
  named: readonly NamedCorpora[],
  agents: NamedCorpora | undefined,
  accountId: AccountId,
  corpora: CorpusLookup,
): Promise<readonly Problem[]> {
  const lists = agents === undefined ? named : [...named, agents];
  const hasOfAgent = Array.isArray(agents?.ids) && agents.ids.length > 0;
  const missing = named
    .filter(({ ids }) => ids === undefined && !hasOfAgent)
    .map(({ at }) => problem(at, "must be a list with the id of at least one corpus", undefined));
  const found: FoundCorpus[] = [];
  const problems: Problem[] = [...missing];
  for (const { at, ids } of lists) {
    for (const [index, id] of idsIn(ids).entries()) {
      const corpus = await corpora.get(accountId, asCorpusId(id));
      if (corpus === undefined)
        problems.push(problem([...at, index], "must be the id of a corpus of this account", id));
      else found.push(corpus);
    }
  }
  const all = distinct(found);
  const { at } = lists[0] ?? { at: [] };
  if (all.length > CALL_CORPORA_MAX)
    problems.push(
      problemWithoutValue(at, `must be at most ${CALL_CORPORA_MAX} corpora with those of the agent, not ${all.length}`),
    );
  else problems.push(...(await sizeProblems(all, at, corpora)));
  return problems;
}

/** Too much to stand whole in each prompt. */
async function sizeProblems(all: readonly FoundCorpus[], at: Path, corpora: CorpusLookup): Promise<readonly Problem[]> {
  const { tokens, last } = await wholePartsOf(all, corpora);
  if (tokens <= WHOLE_CORPORA_TOKENS_MAX) return [];
  const rule =
    `must name corpora of the mode full that fit into a prompt together: at most ${WHOLE_CORPORA_TOKENS_MAX} estimated tokens. ` +
    `Up to a part of ${JSON.stringify(last?.name)} (${last?.id}) they have ${tokens} already; set its mode to search`;
  return [problemWithoutValue(at, rule)];
}

/** None of a list that the schema refuses. */
const idsIn = (ids: unknown): string[] => {
  if (!Array.isArray(ids) || ids.length > CALL_CORPORA_MAX) return [];
  return ids.every((id) => typeof id === "string") ? ids : [];
};

const distinct = (corpora: readonly FoundCorpus[]): FoundCorpus[] => [
  ...new Map(corpora.map((corpus) => [corpus.id, corpus])).values(),
];

/** The tools of an agent's call: its corpora are those of `query_corpus`, with the ones that this names itself. */
export function withCorporaOfAgent(selected: readonly SelectedTool[], corpusIds: readonly string[]): SelectedTool[] {
  if (corpusIds.length === 0) return [...selected];
  const own = selected.find(({ toolName }) => toolName === QUERY_CORPUS);
  const overrides = (own?.parameterOverrides ?? {}) as CorpusOverrides;
  const all = [...new Set([...corpusIds, ...(overrides.corpusIds ?? [])])];
  const tool: SelectedTool = { toolName: QUERY_CORPUS, parameterOverrides: { ...overrides, corpusIds: all } };
  return own === undefined ? [...selected, tool] : selected.map((other) => (other === own ? tool : other));
}

/**
 * What a call with these tools answers from; undefined without `query_corpus`. A corpus that was deleted since it was checked is left
 * out, and what no longer fits into the prompt is, too.
 */
export async function callKnowledgeOf(
  selected: readonly SelectedTool[],
  accountId: AccountId,
  corpora: CorpusLookup,
): Promise<CallKnowledge | undefined> {
  const tool = selected.find(({ toolName }) => toolName === QUERY_CORPUS);
  if (tool === undefined) return undefined;
  const { corpusIds = [], retrieval = "tool", ...rest } = (tool.parameterOverrides ?? {}) as CorpusOverrides;
  const found = await Promise.all(corpusIds.map((id) => corpora.get(accountId, asCorpusId(id))));
  const all = distinct(found.filter((corpus) => corpus !== undefined));
  const { parts } = await wholePartsOf(all, corpora);
  return {
    retrieval,
    corpora: all
      .filter(({ mode }) => mode === "search")
      .map(({ id, name, description }) => ({ id, name, description })),
    passagesMax: rest.passagesMax ?? PASSAGES_DEFAULT,
    ...(parts.length > 0 && { whole: parts }),
    fence: randomBytes(FENCE_BYTES).toString("hex"),
    ...(rest.allowEffects === true && { allowsEffects: true }),
  };
}

interface WholeParts {
  parts: readonly WholePart[];
  /** Estimated, with the part that no longer fitted, which is not among the parts. */
  tokens: number;
  /** The corpus that was read last. */
  last: FoundCorpus | undefined;
}

/** The parts of the corpora of the mode `full`, as long as they fit into a prompt. */
async function wholePartsOf(all: readonly FoundCorpus[], corpora: CorpusLookup): Promise<WholeParts> {
  const parts: WholePart[] = [];
  let tokens = 0;
  let last: FoundCorpus | undefined;
  for (const corpus of all.filter(({ mode }) => mode === "full")) {
    last = corpus;
    for await (const part of partsOf(corpus, corpora)) {
      tokens += textTokens(JSON.stringify(part));
      if (tokens > WHOLE_CORPORA_TOKENS_MAX) return { parts, tokens, last };
      parts.push(part);
    }
  }
  return { parts, tokens, last };
}

async function* partsOf({ id }: FoundCorpus, corpora: CorpusLookup): AsyncGenerator<WholePart> {
  for (const document of await corpora.indexable(id)) {
    for (let from = 0; ; from += CHUNKS_PAGE) {
      const chunks = await corpora.chunks(document.id, document.version, from, CHUNKS_PAGE);
      for (const { headings, page, text } of chunks)
        yield { documentName: document.name, headings, ...(page !== undefined && { page }), text };
      if (chunks.length < CHUNKS_PAGE) break;
    }
  }
}
