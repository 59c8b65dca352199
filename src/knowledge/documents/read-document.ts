import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { systemErrorCodeOf } from "../../core/errors.ts";
import type { Chunk } from "../../core/knowledge/chunks.ts";
import type { DocumentFacts, DocumentFormat } from "../../core/knowledge/documents.ts";
import { DOCUMENT_CHARS_MAX, DOCUMENT_CHUNKS_MAX } from "../../core/limits/knowledge/corpora.ts";
import { Chunker } from "../chunking/chunker.ts";
import { documentError, failureOf, withoutFile } from "./errors.ts";
import { docxBlocks } from "./formats/docx.ts";
import type { Blocks, ParsedFacts } from "./formats/format.ts";
import { htmlBlocks } from "./formats/html.ts";
import { markdownBlocks, tooMuchText } from "./formats/markdown.ts";
import { pdfBlocks } from "./formats/pdf.ts";
import { formatOf, HEAD_BYTES } from "./formats/sniff.ts";
import { textBlocks } from "./formats/text.ts";
import type { IngestAnswer, IngestTask } from "./ingester.ts";

const FILE_MODE = 0o600;

/** Reads a document and writes its chunks, in the process that does this. What is wrong with the document is its answer. */
export async function readDocument(task: IngestTask): Promise<IngestAnswer> {
  try {
    return { kind: "read", facts: await read(task) };
  } catch (error) {
    const failure = failureOf(isWithout(task.path, error) ? withoutFile(error) : error);
    if (failure === undefined) throw error;
    return { kind: "failed", failure };
  }
}

/** Whether it is this file that is missing, and not another, such as that of the chunks. */
const isWithout = (path: string, error: unknown): boolean =>
  systemErrorCodeOf(error) === "ENOENT" && (error as NodeJS.ErrnoException).path === path;

async function read({ path, chunksPath, name, languageId }: IngestTask): Promise<DocumentFacts> {
  const { size: bytes } = await stat(path);
  const format = formatOf(await headOf(path), name);
  const parsed: ParsedFacts = {};
  const output = new ChunkFile(chunksPath);
  try {
    const chunker = new Chunker(languageId);
    for await (const block of blocksOf(format, path, parsed)) {
      for (const chunk of chunker.push(block)) await output.write(chunk);
    }
    for (const chunk of chunker.finish()) await output.write(chunk);
  } finally {
    await output.close();
  }
  if (output.chunks === 0) throw withoutText(format);
  return { format, ...parsed, chunks: output.chunks, characters: output.characters, bytes };
}

const BLOCKS_OF: Readonly<Record<DocumentFormat, (path: string, facts: ParsedFacts) => Blocks>> = {
  text: textBlocks,
  markdown: markdownBlocks,
  html: htmlBlocks,
  docx: docxBlocks,
  pdf: pdfBlocks,
};

const blocksOf = (format: DocumentFormat, path: string, facts: ParsedFacts): Blocks => BLOCKS_OF[format](path, facts);

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const withoutText = (format: DocumentFormat): Error =>
  documentError(
    "no_text",
    format === "pdf"
      ? "the PDF has no text: its pages are pictures, such as scans; have their text recognized first (OCR)"
      : "the document has no text",
  );

/** The file of chunks, as it is written; bounded. */
class ChunkFile {
  readonly #stream: WriteStream;
  chunks = 0;
  characters = 0;

  constructor(path: string) {
    this.#stream = createWriteStream(path, { mode: FILE_MODE });
  }

  async write(chunk: Chunk): Promise<void> {
    this.chunks += 1;
    this.characters += chunk.text.length;
    if (this.characters > DOCUMENT_CHARS_MAX) throw tooMuchText();
    if (this.chunks > DOCUMENT_CHUNKS_MAX) {
      const message = `the document has more than ${DOCUMENT_CHUNKS_MAX} passages, the most that one may have`;
      throw documentError("too_much_text", message);
    }
    if (!this.#stream.write(`${JSON.stringify(chunk)}\n`)) await once(this.#stream, "drain");
  }

  async close(): Promise<void> {
    this.#stream.end();
    await finished(this.#stream);
  }
}
