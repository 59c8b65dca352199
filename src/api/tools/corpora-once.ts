import type { CorpusLookup } from "./corpora.ts";

/**
 * A lookup for one request, which reads everything once: a call of an agent has the corpora of its mode `full` checked with the overrides
 * and with the agent, and then takes their texts. It must not outlive the request.
 */
export function readingOnce(corpora: CorpusLookup): CorpusLookup {
  const read = new Map<string, Promise<unknown>>();
  const once = <T>(key: string, reading: () => Promise<T>): Promise<T> => {
    const known = read.get(key) ?? reading();
    read.set(key, known);
    return known as Promise<T>;
  };
  return {
    get: (accountId, id) => once(`corpus ${accountId} ${id}`, () => corpora.get(accountId, id)),
    indexable: (id) => once(`documents ${id}`, () => corpora.indexable(id)),
    chunks: (documentId, version, fromOrdinal, limit) =>
      once(`chunks ${documentId} ${version} ${fromOrdinal} ${limit}`, () =>
        corpora.chunks(documentId, version, fromOrdinal, limit),
      ),
  };
}
