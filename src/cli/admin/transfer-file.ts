import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { z } from "zod";
import { SOFTWARE } from "../../core/runtime/version.ts";
import type { TransferredRow, TransferSums } from "../../store/transfer-store.ts";

/** The first line of a file, in which a later version may say something else. */
const Header = z.object({ format: z.literal("trunkline-export"), version: z.literal(1), schema: z.string() });
const Row = z.strictObject({
  table: z.string(),
  row: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
/** The last line; without it the file is incomplete. */
const End = z.strictObject({ sums: z.record(z.string(), z.strictObject({ rows: z.int(), digest: z.string() })) });

const FILE_MODE = 0o600;

/** Writes rows by `take`, and returns the sums. */
type WriteRows = (take: (row: TransferredRow) => Promise<void>) => Promise<TransferSums>;

/** Writes a new file of JSON lines, compressed, readable by its owner alone. It is on the disk when this resolves. */
export async function writeTransferFile(path: string, schema: string, write: WriteRows): Promise<TransferSums> {
  return await writeTransfer(createWriteStream(path, { mode: FILE_MODE, flags: "wx", flush: true }), schema, write);
}

/** As `writeTransferFile`. What `write` gives waits for `sink`, so that memory is bounded however large the database is. */
export async function writeTransfer(sink: Writable, schema: string, write: WriteRows): Promise<TransferSums> {
  const gzip = createGzip();
  const failure = new AbortController();
  const written = pipeline(gzip, sink);
  // A failed disk ends the reading, too.
  written.catch((error: unknown) => failure.abort(error));
  const push = async (value: object): Promise<void> => {
    failure.signal.throwIfAborted();
    if (!gzip.write(`${JSON.stringify(value)}\n`)) await once(gzip, "drain", { signal: failure.signal });
  };
  try {
    await push({ format: "trunkline-export", version: 1, schema, software: SOFTWARE });
    const sums = await write(push);
    await push({ sums });
    gzip.end();
    await written;
    return sums;
  } catch (error) {
    gzip.destroy();
    await written.catch(() => {});
    // What waited for a failed sink says only that it was aborted.
    throw failure.signal.aborted && isAbort(error) ? failure.signal.reason : error;
  }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";

/** An export, read once: its header, then its rows, then its sums. */
export class TransferFile {
  readonly schema: string;
  readonly #lines: AsyncIterator<string>;
  readonly #path: string;
  #sums: TransferSums | undefined;

  private constructor(path: string, schema: string, lines: AsyncIterator<string>) {
    this.#path = path;
    this.schema = schema;
    this.#lines = lines;
  }

  /** Rejects where the file cannot be read, or is no export. */
  static async open(path: string): Promise<TransferFile> {
    const input = createReadStream(path);
    const unzipped = input.pipe(createGunzip());
    input.once("error", (error) => unzipped.destroy(error));
    const lines = createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
    const { value } = await lines.next();
    const header = Header.safeParse(jsonOf(value));
    if (!header.success) throw new Error(`${path} is no export of Trunkline`);
    return new TransferFile(path, header.data.schema, lines);
  }

  /** Throws at a line that is neither a row nor the end, by its number, and at the end of an incomplete file. */
  async *rows(): AsyncIterable<TransferredRow> {
    // The first one is the header.
    for (let number = 2; ; number += 1) {
      const { value, done } = await this.#lines.next();
      if (done === true) throw new Error(`${this.#path} is incomplete: its last line is missing`);
      const line = jsonOf(value);
      const row = Row.safeParse(line);
      if (row.success) yield row.data;
      else {
        const end = End.safeParse(line);
        if (!end.success) throw new Error(`line ${number} of ${this.#path} is damaged`);
        this.#sums = end.data.sums;
        return;
      }
    }
  }

  /** Known once all rows are read. */
  get sums(): TransferSums {
    if (this.#sums === undefined) throw new Error("the rows are not read yet");
    return this.#sums;
  }
}

function jsonOf(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
