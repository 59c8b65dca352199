// The index of corpora, the process that owns it, and questions to it.

/** The longest question of which all words count, UTF-16 units; of a longer one the end does, which was said last. */
export const QUESTION_CHARS_MAX = 8_000;

/** Terms of a question that are searched for: the rarest ones. Twelve spoken words have as many, or twice as many letters' pairs. */
export const QUESTION_TERMS_MAX = 48;

/**
 * Occurrences of a question's terms that are ranked: the rarest terms are taken first, and the commonest not at all once the sum is
 * reached. It bounds the time of a question: 20,000 take 10 to 20 ms. Terms that every second chunk has are not taken either where the
 * others have RANKED_CHUNKS_ENOUGH.
 */
export const RANKED_CHUNKS_MAX = 20_000;
export const RANKED_CHUNKS_ENOUGH = 200;

/** Chunks that FTS5 finds for a question at least and that are ranked again: reading and splitting 50 takes 2 to 3 ms. */
export const CANDIDATES_MIN = 50;

/** How many chunks each of the two rankings, by words and by vectors, gives to their fusion. */
export const FUSED_CHUNKS_MAX = 50;

/** The most passages of an answer. */
export const PASSAGES_MAX = 50;
export const PASSAGES_DEFAULT = 5;

/** Questions that the retrieval process has and has not answered. Past it a question is refused as `unavailable`; counted. */
export const QUESTIONS_WAITING_MAX = 64;

/** Of these, the API may take so many for one account and for all; the others are left to calls. */
export const CORPUS_QUERIES_PER_ACCOUNT_MAX = 8;
export const CORPUS_QUERIES_MAX = 32;

/** How long an answer may take, the way to the process included; then the question fails as `unavailable`. Counted. */
export const QUESTION_MS_MAX = 2_000;

/** How long the vector of a question may take; then words alone rank its answer. Counted. */
export const QUESTION_EMBEDDING_MS_MAX = 400;

/** Vectors of questions that are remembered: an interim transcript and the final one often have the same text. */
export const QUESTION_EMBEDDINGS_CACHED_MAX = 512;

/** Texts of one request for embeddings of chunks, and their length together, UTF-16 units. */
export const EMBEDDING_BATCH_TEXTS = 64;
export const EMBEDDING_BATCH_CHARS = 128_000;

/** The longest text that an embedding is made of, UTF-16 units: the models read no more than some 500 words. */
export const EMBEDDING_TEXT_CHARS_MAX = 6_000;

/** How long a request for embeddings of chunks may take. */
export const EMBEDDING_MS_MAX = 60_000;

/** The longest answer to a request for embeddings, bytes. */
export const EMBEDDING_ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Delays before the embeddings of a corpus are tried again. After the last one they wait until the corpus changes or the process starts
 * again; until then words alone find those chunks.
 */
export const EMBEDDING_RETRY_DELAYS_MS: readonly number[] = [1_000, 5_000, 30_000, 120_000, 600_000, 600_000, 600_000];

/** The most numbers of a vector. */
export const VECTOR_DIMENSIONS_MAX = 4_096;

/** Vectors that the process has in memory, bytes. Past it those of the corpus that was asked least recently are released. */
export const VECTORS_RESIDENT_BYTES_MAX = 512 * 1024 * 1024;

/** Vectors that are read at once, so that questions are answered between two reads. */
export const VECTORS_READ_ROWS = 2_000;

/** Corpora whose files are open. Past it that which was asked least recently is closed. */
export const OPEN_CORPORA_MAX = 64;

/** SQLite's page cache of an open corpus, KiB. */
export const CORPUS_CACHE_KIB = 16_384;

/** Chunks of one message to the process, and the length of their texts together, UTF-16 units. */
export const INDEX_BATCH_CHUNKS = 200;
export const INDEX_BATCH_CHARS = 400_000;

/** Chunks of a deleted document that are removed in one transaction. */
export const INDEX_REMOVE_CHUNKS = 500;

/** The longest message between the retrieval process and its clients. */
export const RETRIEVAL_MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Documents of which one message says that the index has them; a corpus counts as one more, and its documents are never divided. It bounds
 * that message to some 3 MiB.
 */
export const INDEX_STATE_DOCUMENTS_MAX = 20_000;

/** Between two attempts to reach the retrieval process. It doubles up to the second while connections break before there was an answer. */
export const RETRIEVAL_RECONNECT_MS = 200;
export const RETRIEVAL_RECONNECT_MS_MAX = 10_000;

/** How long the control process waits for the answer to a change of the index: a batch takes a second on a busy machine. */
export const INDEX_CHANGE_MS_MAX = 120_000;

/** Between two looks at the corpora that have changed, in addition to those that a change of this process starts. */
export const INDEX_POLL_MS = 2_000;

/** The delay doubles up to this while the index cannot be brought up to date. */
export const INDEX_RETRY_MS_MAX = 60_000;

/** The nice(1) value of the retrieval process: below the media workers. */
export const RETRIEVAL_NICE = 3;

/** That of its thread that writes the index: its work is never urgent. */
export const INDEX_WRITER_NICE = 12;

/** After so long without a change the words of removed documents are overwritten, and while changes keep coming after so long at most. */
export const INDEX_COMPACT_DELAY_MS = 2_000;
export const INDEX_COMPACT_MS_MAX = 10_000;

/** Between two of these there is this many times what the first took: the index of 100,000 chunks takes some seconds. */
export const INDEX_COMPACT_REST = 4;

/** Replies with passages that are looked through for those of one corpus at a time. */
export const RETRIEVAL_TURNS_PER_READ = 500;
