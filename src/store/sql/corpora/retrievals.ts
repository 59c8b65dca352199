import type { Kysely } from "kysely";
import { addMs, epochMs, millisecondsOf } from "../../../core/clocks.ts";
import type { ReplyPassages } from "../../../core/knowledge/call-knowledge.ts";
import { RETRIEVAL_TURNS_PER_READ } from "../../../core/limits/knowledge/retrieval.ts";
import type { CorpusRetrieval, CorpusRetrievalPage, CorpusRetrievalQuery } from "../../corpora/corpus-store.ts";
import type { Tables } from "../tables.ts";

/** See `CorpusStore.listRetrievals`. */
export async function listRetrievals(
  db: Kysely<Tables>,
  { corpusId, limit, ...query }: CorpusRetrievalQuery,
): Promise<CorpusRetrievalPage> {
  const rows = await turnsWithPassages(db, query).limit(RETRIEVAL_TURNS_PER_READ).execute();
  const retrievals: CorpusRetrieval[] = [];
  for (const [at, row] of rows.entries()) {
    const { tookMs, passages } = JSON.parse(row.retrieval ?? "{}") as ReplyPassages;
    const ofCorpus = passages.filter((passage) => passage.corpusId === corpusId);
    if (ofCorpus.length === 0) continue;
    const startMs = addMs(row.started_at ?? epochMs(0), row.start_ms);
    retrievals.push({
      callId: row.call_id,
      position: row.position,
      atMs: epochMs(Math.round(millisecondsOf(startMs))),
      question: row.question === null ? undefined : (JSON.parse(row.question) as string),
      retrieval: { tookMs, passages: ofCorpus },
    });
    if (retrievals.length === limit) return { retrievals, next: at < rows.length - 1 ? placeOf(row) : undefined };
  }
  const last = rows.length === RETRIEVAL_TURNS_PER_READ ? rows.at(-1) : undefined;
  return { retrievals, next: last && placeOf(last) };
}

const placeOf = ({ call_id: callId, position }: { call_id: CorpusRetrieval["callId"]; position: number }) => ({
  callId,
  position,
});

/** The turns of an account that were given passages, the latest first, each with what was said to it. */
function turnsWithPassages(
  db: Kysely<Tables>,
  { accountId, before }: Omit<CorpusRetrievalQuery, "corpusId" | "limit">,
) {
  const turns = db
    .selectFrom("turns")
    .innerJoin("calls", "calls.id", "turns.call_id")
    .select(["turns.call_id", "turns.position", "turns.start_ms", "turns.retrieval", "calls.started_at"])
    .select(({ selectFrom }) =>
      selectFrom("turns as asked")
        .select("asked.text")
        .whereRef("asked.call_id", "=", "turns.call_id")
        .whereRef("asked.position", "<", "turns.position")
        .where("asked.role", "=", "user")
        .orderBy("asked.position", "desc")
        .limit(1)
        .as("question"),
    )
    .where("turns.account_id", "=", accountId)
    .where("turns.retrieval", "is not", null)
    // The turns of a long transcript are stored before its call has ended, and deleted in parts.
    .where("calls.status", "=", "ended")
    .where("calls.transcript_deleted_at", "is", null)
    .orderBy("turns.call_id", "desc")
    .orderBy("turns.position", "desc");
  if (before === undefined) return turns;
  return turns.where(({ eb, refTuple, tuple }) =>
    eb(refTuple("turns.call_id", "turns.position"), "<", tuple(before.callId, before.position)),
  );
}
