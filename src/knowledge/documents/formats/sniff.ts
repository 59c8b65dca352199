import { extname } from "node:path";
import type { DocumentFormat } from "../../../core/knowledge/documents.ts";
import { documentError } from "../errors.ts";

/** How much of a file shows what it is: readers of PDF accept its mark within the first kilobyte. */
export const HEAD_BYTES = 1_024;

const HTML_START = /^<(?:!doctype\s+html|html|head|body)\b/i;
const MARKDOWN_NAMES: ReadonlySet<string> = new Set([".md", ".markdown", ".mdown", ".mkd"]);
const HTML_NAMES: ReadonlySet<string> = new Set([".html", ".htm", ".xhtml"]);
/** The first bytes of old Office files, and of DOCX files with a password. */
const OLE_HEAD = "d0cf11e0a1b11ae1";
/** Of UTF-16 texts, which have zeros as binary files do. */
const UTF_16_MARKS = ["fffe", "feff"];

/**
 * What a file is, by its first HEAD_BYTES. Only between kinds of text the end of its name decides, which no content tells for sure. Throws
 * `unsupported_format`.
 */
export function formatOf(head: Buffer, name: string): DocumentFormat {
  if (head.indexOf("%PDF-", 0, "latin1") >= 0) return "pdf";
  if (head.toString("latin1", 0, 4) === "PK\u0003\u0004") return "docx";
  if (head.toString("hex", 0, 8) === OLE_HEAD)
    throw documentError(
      "unsupported_format",
      "the file is an old Office file, or one with a password: save it as DOCX without one",
    );
  const ending = extname(name).toLowerCase();
  if (isBinary(head))
    throw documentError("unsupported_format", "the file is not plain text, Markdown, HTML, PDF or DOCX by its content");
  if (HTML_NAMES.has(ending) || isHtml(head.toString("latin1"))) return "html";
  return MARKDOWN_NAMES.has(ending) ? "markdown" : "text";
}

/** Whether a text begins as a page does, after comments and the declaration of XML. */
function isHtml(text: string): boolean {
  let rest = text.trimStart();
  for (;;) {
    const end = rest.startsWith("<!--") ? "-->" : rest.startsWith("<?xml") ? "?>" : undefined;
    if (end === undefined) return HTML_START.test(rest);
    const place = rest.indexOf(end, 4);
    if (place < 0) return false;
    rest = rest.slice(place + end.length).trimStart();
  }
}

function isBinary(head: Buffer): boolean {
  if (UTF_16_MARKS.includes(head.toString("hex", 0, 2))) return false;
  // No text has these but as damage: NUL, and most controls.
  const controls = head.filter((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte)).length;
  return head.includes(0) || controls > head.length / 100;
}
