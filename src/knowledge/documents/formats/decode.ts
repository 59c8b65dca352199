import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";

const SAMPLE_BYTES = 64 * 1024;
const CHARSET = /<meta[^>]{0,200}charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w-]{1,40})/i;

/** The characters of a text file, as they are read. Its byte order mark decides, then UTF-8 where that fits, then `fallback`. */
export async function* decodedText(
  path: string,
  fallback?: (sample: string) => string | undefined,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(await encodingOf(path, fallback));
  for await (const chunk of createReadStream(path)) yield decoder.decode(chunk as Buffer, { stream: true });
  yield decoder.decode();
}

async function encodingOf(path: string, fallback?: (sample: string) => string | undefined): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
    const sample = buffer.subarray(0, bytesRead);
    const mark = sample.toString("hex", 0, 2);
    if (mark === "fffe") return "utf-16le";
    if (mark === "feff") return "utf-16be";
    const named = fallback?.(sample.toString("latin1"));
    if (named !== undefined && isEncoding(named)) return named;
    return isUtf8(sample) ? "utf-8" : "windows-1252";
  } finally {
    await file.close();
  }
}

/** The encoding that a page of HTML names. */
export const charsetOf = (sample: string): string | undefined => CHARSET.exec(sample)?.[1];

/** Whether bytes are UTF-8, but for a character that the sample cuts. */
function isUtf8(sample: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(sample, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function isEncoding(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== "";
  } catch {
    return false;
  }
}
