import { constants, deflateRawSync } from "node:zlib";
import { fileOf } from "./pdf-files.ts";

const CATALOG = "<< /Type /Catalog /Pages 2 0 R >>";
const PAGES = "<< /Type /Pages /Count 1 /Kids [3 0 R] >>";
const STRETCH_BYTES = 64 * 1024 ** 2;

/** A PDF of one page whose content inflates to this much, a thousand times its size. */
export function inflatingPdf(bytes: number): Buffer {
  // A stretch that does not refer to the one before can be repeated.
  const stretch = deflateRawSync(Buffer.alloc(STRETCH_BYTES, " "), { finishFlush: constants.Z_FULL_FLUSH });
  const stretches = Array.from({ length: Math.ceil(bytes / STRETCH_BYTES) }, () => stretch);
  const content = Buffer.concat([Buffer.from([0x78, 0x9c]), ...stretches, Buffer.from([3, 0, 0, 0, 0, 0])]);
  return fileOf([
    CATALOG,
    PAGES,
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>",
    `<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n${content.toString("latin1")}\nendstream`,
  ]);
}

/** A PDF whose page draws an object twice, which draws another twice, and so on, to one that has a word. */
export function doublingPdf(levels: number): Buffer {
  const drawing = (next: number, dictionary: string): string => {
    const content = `/X${next} Do /X${next} Do`;
    return `<< ${dictionary} /Length ${content.length} >>\nstream\n${content}\nendstream`;
  };
  const formOf = (level: number): string => {
    const next = level + 1;
    const form = `/Type /XObject /Subtype /Form /BBox [0 0 612 792]`;
    if (next === levels) {
      const word = "BT /F1 12 Tf (Pump) Tj ET";
      const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
      return `<< ${form} /Resources << /Font << /F1 ${font} >> >> /Length ${word.length} >>\nstream\n${word}\nendstream`;
    }
    return drawing(next, `${form} /Resources << /XObject << /X${next} ${5 + next} 0 R >> >>`);
  };
  return fileOf([
    CATALOG,
    PAGES,
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /XObject << /X0 5 0 R >> >> >>",
    drawing(0, ""),
    ...Array.from({ length: levels }, (_, level) => formOf(level)),
  ]);
}
