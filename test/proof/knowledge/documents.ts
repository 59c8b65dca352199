import { docxFile, docxParagraph } from "../../support/knowledge/docx-files.ts";
import { pdfFile } from "../../support/knowledge/pdf-files.ts";
import type { Random } from "../../support/random.ts";

/** A document to upload, and what must come of it. */
export interface SentDocument {
  name: string;
  content: Buffer;
  /** A word that is in this document alone. */
  word: string;
  /** The reason for which it must fail; undefined where it must be ready. */
  failure?: string;
}

const SENTENCES = 30;

/** Document number `n`: of any format, mostly short; one in twenty cannot be read. */
export function documentOf(n: number, random: Random): SentDocument {
  const word = `marker${n}x`;
  const sentences = Array.from(
    { length: 1 + Math.floor(random.between(0, SENTENCES)) },
    (_, index) => `The pump ${index} lasts.`,
  );
  const paragraphs = [`It has ${word}.`, ...sentences];
  if (n % 20 === 19)
    return { name: `${n}.pdf`, content: Buffer.from(`\0\u0001${word}`), word, failure: "unsupported_format" };
  switch (n % 5) {
    case 0:
      return { name: `${n}.pdf`, content: pdfFile([paragraphs.map((text) => ({ text }))]), word };
    case 1:
      return { name: `${n}.docx`, content: docxFile(paragraphs.map((text) => docxParagraph(text)).join("")), word };
    case 2:
      return { name: `${n}.html`, content: Buffer.from(`<html><h1>Pumps</h1><p>${paragraphs.join("<p>")}`), word };
    case 3:
      return { name: `${n}.md`, content: Buffer.from(`# Pumps\n\n${paragraphs.join("\n\n")}`), word };
    default:
      return { name: `${n}.txt`, content: Buffer.from(paragraphs.join("\n\n")), word };
  }
}
