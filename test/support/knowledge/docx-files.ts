import { strToU8, zipSync } from "fflate";

const NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

/** A paragraph of a DOCX file; `style` is the id of its style. */
export const docxParagraph = (text: string, style?: string): string =>
  `<w:p>${style === undefined ? "" : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r></w:p>`;

/** A row of a table. */
export const docxRow = (cells: readonly string[]): string =>
  `<w:tr>${cells.map((cell) => `<w:tc>${docxParagraph(cell)}</w:tc>`).join("")}</w:tr>`;

const STYLES =
  `<w:styles ${NAMESPACE}><w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>` +
  '<w:style w:type="paragraph" w:styleId="Sub"><w:name w:val="Own"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>';

/** A DOCX file with this content of its body. The styles `berschrift1` and `Sub` are headings of the levels 1 and 2. */
export function docxFile(body: string, { head = "", parts = {} as Record<string, string> } = {}): Buffer {
  const files: Record<string, Uint8Array> = {
    "[Content_Types].xml": strToU8("<Types/>"),
    "word/document.xml": strToU8(
      `<?xml version="1.0" encoding="UTF-8"?>${head}<w:document ${NAMESPACE}><w:body>${body}</w:body></w:document>`,
    ),
    "word/styles.xml": strToU8(STYLES),
  };
  for (const [name, text] of Object.entries(parts)) files[name] = strToU8(text);
  return Buffer.from(zipSync(files));
}
