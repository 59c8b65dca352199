// Corpora and their documents: src/knowledge and src/api/corpora.

export const CORPORA_PER_ACCOUNT_MAX = 1_000;
export const DOCUMENTS_PER_CORPUS_MAX = 10_000;

export const CORPUS_NAME_CHARS_MAX = 200;
export const CORPUS_DESCRIPTION_CHARS_MAX = 2_000;
export const DOCUMENT_NAME_CHARS_MAX = 255;
export const DOCUMENT_URL_CHARS_MAX = 2_048;

/** The text of a request that gives a document inline, UTF-16 code units. */
export const INLINE_TEXT_CHARS_MAX = 200_000;

/** The default of DOCUMENT_BYTES_MAX, and the most that it may be: a file is read into memory. */
export const DOCUMENT_BYTES_DEFAULT = 50 * 1024 ** 2;
export const DOCUMENT_BYTES_LIMIT = 200 * 1024 ** 2;

/** The pages of a PDF, and the chunks and UTF-16 code units of any document; one with more fails. */
export const DOCUMENT_PAGES_MAX = 5_000;
export const DOCUMENT_CHUNKS_MAX = 20_000;
export const DOCUMENT_CHARS_MAX = 12_000_000;

/** What the parts of a DOCX that are read may inflate to. */
export const DOCX_INFLATED_BYTES_MAX = 64 * 1024 ** 2;

/** The words of a chunk; a character of a script without spaces counts as half a word. A chunk ends with a paragraph from the first on. */
export const CHUNK_WORDS_MIN = 150;
export const CHUNK_WORDS_MAX = 300;
/** UTF-16 code units of a chunk, whatever its words. */
export const CHUNK_CHARS_MAX = 3_000;
/** UTF-16 code units of a heading that a chunk carries, and how many it carries. */
export const HEADING_CHARS_MAX = 300;
export const HEADINGS_MAX = 6;

/** Chunks that one transaction writes or deletes. */
export const CHUNKS_PER_TRANSACTION = 50;

/** Documents that are processed at once, and those of one account; one at a time is read, others are fetched meanwhile. */
export const DOCUMENTS_CONCURRENT_MAX = 4;
export const DOCUMENTS_PER_ACCOUNT_CONCURRENT_MAX = 2;

/** One attempt at a document, and the delays before further ones. */
export const DOCUMENT_ATTEMPT_MS_MAX = 30 * 60_000;
export const DOCUMENT_RETRY_DELAYS_MS = [2_000, 15_000, 60_000, 300_000] as const;

/** Processor time that reading one document may take, and the wall-clock time on a busy machine. */
export const DOCUMENT_CPU_MS_MAX = 60_000;
export const DOCUMENT_RUN_MS_MAX = 15 * 60_000;
/** So many attempts must have taken too much, all that a document has: the process that reads may have been killed for another reason. */
export const DOCUMENT_OVER_BUDGET_MAX = 5;
/** How long a document may wait for the process that reads. */
export const DOCUMENT_WAIT_MS_MAX = 15 * 60_000;

/** JavaScript heap of the process that reads documents, and all of its memory. */
export const INGESTER_HEAP_MB_MAX = 512;
export const INGESTER_RSS_MB_MAX = 1_024;
/** With more memory than this between two documents it is replaced. */
export const INGESTER_REPLACE_RSS_MB = 512;
/** The nice(1) value of that process: below everything that calls need. */
export const INGESTER_NICE = 15;
/** It is ended when it had nothing to do for this long; the next document starts it again. */
export const INGESTER_IDLE_MS_MAX = 60_000;

/** Fetching a document: the redirects that are followed. */
export const DOCUMENT_REDIRECTS_MAX = 3;

/** Documents that one query of the clean-up returns. */
export const DOCUMENTS_TO_CLEAN_MAX = 100;

/** How long a deleted corpus is remembered, so that every index learns of it. */
export const REMOVED_CORPUS_DAYS = 7;

/** Files of uploads that are compared with the store after a start, and between so many and the next. */
export const DOCUMENT_FILES_COMPARED = 50;
export const DOCUMENT_FILES_COMPARE_MS = 1_000;
