import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { PDFDocumentLoadingTask, PDFDocumentProxy } from "pdfjs-dist/types/src/display/api.d.ts";
import { DOCUMENT_PAGES_MAX } from "../../../core/limits/knowledge/corpora.ts";
import type { Block } from "../../chunking/blocks.ts";
import { documentError } from "../errors.ts";
import type { ParsedFacts } from "./format.ts";
import { PageReader, type TextItem } from "./pdf-page.ts";

/** The headings and paragraphs of a PDF file, page by page. Nothing is drawn, and neither scripts nor attachments are read. */
export async function* pdfBlocks(path: string, facts: ParsedFacts): AsyncGenerator<Block> {
  const task = await open(path);
  try {
    const document = await loaded(task);
    facts.pages = document.numPages;
    if (document.numPages > DOCUMENT_PAGES_MAX) {
      const message = `the PDF has ${document.numPages} pages; at most ${DOCUMENT_PAGES_MAX} are read`;
      throw documentError("too_many_pages", message);
    }
    const reader = new PageReader();
    for (let number = 1; number <= document.numPages; number += 1)
      yield* reader.read(number, await itemsOf(document, number));
  } finally {
    await task.destroy();
  }
}

async function open(path: string): Promise<PDFDocumentLoadingTask> {
  const data = new Uint8Array(await readFile(path));
  const { getDocument, VerbosityLevel } = await loadPdfjs();
  return getDocument({
    data,
    verbosity: VerbosityLevel.ERRORS,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    // For Chinese, Japanese and Korean fonts that are not embedded.
    cMapUrl: `${join(pdfjsFolder(), "cmaps")}/`,
    cMapPacked: true,
  });
}

const pdfjsFolder = (): string => dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));

/** The library expects a few classes of browsers where it is loaded; it uses them only to draw. */
async function loadPdfjs(): Promise<typeof import("pdfjs-dist/legacy/build/pdf.mjs")> {
  for (const name of ["DOMMatrix", "ImageData", "Path2D"]) {
    if (!(name in globalThis)) Object.defineProperty(globalThis, name, { value: class {} });
  }
  return await import("pdfjs-dist/legacy/build/pdf.mjs");
}

async function loaded(task: PDFDocumentLoadingTask): Promise<PDFDocumentProxy> {
  try {
    return await task.promise;
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException")
      throw documentError("encrypted", "the PDF is encrypted: save it without a password", error);
    throw damaged(error);
  }
}

async function itemsOf(document: PDFDocumentProxy, number: number): Promise<readonly TextItem[]> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    return items.filter((item): item is typeof item & TextItem => "str" in item);
  } catch (error) {
    throw damaged(error, ` on page ${number}`);
  }
}

const damaged = (cause: unknown, where = ""): Error => documentError("unreadable", `the PDF is damaged${where}`, cause);
