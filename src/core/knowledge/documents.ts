/** `search`: the passages that fit a question are found. `full`: the LLM gets the whole corpus with its prompt. */
export const CORPUS_MODES = ["search", "full"] as const;
export type CorpusMode = (typeof CORPUS_MODES)[number];

export const DOCUMENT_STATUSES = ["processing", "ready", "failed"] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

/** Where the content of a document comes from. */
export const DOCUMENT_SOURCES = ["upload", "url", "text"] as const;
export type DocumentSource = (typeof DOCUMENT_SOURCES)[number];

/** What a document turns out to be, by its content. */
export const DOCUMENT_FORMATS = ["text", "markdown", "html", "pdf", "docx"] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

/** Why a document has failed, each with its meaning, in Markdown. */
export const DOCUMENT_FAILURE_MEANINGS = {
  unsupported_format: "it is none of plain text, Markdown, HTML, PDF and DOCX, by its content",
  encrypted: "a password is needed to read it",
  unreadable: "the file is damaged",
  no_text: "it has no text, as a PDF of scanned pages has none",
  too_many_pages: "it has more pages than are read",
  too_much_text: "it has more text than one document may have",
  too_complex: "reading it takes more processor time or memory than one document may take",
  document_unavailable: "its address does not have it, or may not be fetched",
  document_unreachable: "its address did not answer in several attempts",
  abandoned: "it could not be processed after several attempts: the operator's log says why",
} as const;

export type DocumentFailureCode = keyof typeof DOCUMENT_FAILURE_MEANINGS;
export const DOCUMENT_FAILURE_CODES = Object.keys(DOCUMENT_FAILURE_MEANINGS) as DocumentFailureCode[];

/** Why a document has failed: a stable code, and words that a person understands. */
export interface DocumentFailure {
  readonly code: DocumentFailureCode;
  readonly message: string;
}

/** What was found out about a document while it was read. */
export interface DocumentFacts {
  readonly format: DocumentFormat;
  /** Only of formats that have pages. */
  readonly pages?: number | undefined;
  readonly chunks: number;
  /** UTF-16 code units of all chunks. */
  readonly characters: number;
  /** Of the file. */
  readonly bytes: number;
}
