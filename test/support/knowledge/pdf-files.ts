/** A line of a page: its text and the size of its letters in points. */
export interface PdfLine {
  text: string;
  size?: number;
  /** The distance to the line before, in points; 1.2 times the size by default. */
  gap?: number;
}

const PAGE_HEIGHT = 792;

/** A PDF file with these pages, uncompressed, in Helvetica, with the characters of Windows-1252. */
export function pdfFile(pages: readonly (readonly PdfLine[])[]): Buffer {
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  const pageIds = pages.map((_, index) => 4 + 2 * index);
  add("<< /Type /Catalog /Pages 2 0 R >>");
  add(`<< /Type /Pages /Count ${pages.length} /Kids [${pageIds.map((id) => `${id} 0 R`).join(" ")}] >>`);
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  for (const lines of pages) {
    const stream = contentOf(lines);
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 ${PAGE_HEIGHT}] /Resources << /Font << /F1 3 0 R >> >> ` +
        `/Contents ${objects.length + 2} 0 R >>`,
    );
    add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  }
  return fileOf(objects);
}

function contentOf(lines: readonly PdfLine[]): string {
  let y = PAGE_HEIGHT - 72;
  const shown = lines.map(({ text, size = 11, gap = size * 1.2 }) => {
    y -= gap;
    return `BT /F1 ${size} Tf 1 0 0 1 72 ${y.toFixed(2)} Tm (${text.replace(/[\\()]/g, "\\$&")}) Tj ET`;
  });
  return shown.join("\n");
}

/** Objects as a file, with their cross-reference table; `trailer` is added to that of the file. */
export function fileOf(objects: readonly string[], trailer = ""): Buffer {
  let text = "%PDF-1.7\n";
  const offsets: number[] = [];
  objects.forEach((body, index) => {
    offsets.push(text.length);
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
  });
  const start = text.length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer}>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}
