import { gunzipSync } from "node:zlib";

const BLOCK = 512;
/** Where a header of a tar archive (POSIX ustar) has what. */
const NAME = { at: 0, bytes: 100 };
const SIZE = { at: 124, bytes: 12 };
const TYPE_AT = 156;
const PREFIX = { at: 345, bytes: 155 };
const REGULAR_FILE = ["0", "\0"];

/**
 * The files `paths` of a package's archive (`.tgz`), by path; those that it lacks are missing in the result. npm puts everything
 * into one folder, whose name is left out. The buffers are views of one. Throws for what is no such archive.
 */
export function filesOfPackage(archive: Uint8Array, paths: readonly string[]): Map<string, Buffer> {
  const tar = gunzipSync(archive);
  const files = new Map<string, Buffer>();
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const field = ({ at: from, bytes }: { at: number; bytes: number }): string =>
      tar.toString("utf8", at + from, at + from + bytes).replace(/\0.*$/s, "");
    const size = Number.parseInt(field(SIZE), 8);
    if (!Number.isInteger(size) || at + BLOCK + size > tar.length) throw new Error("the archive is damaged");
    const prefix = field(PREFIX);
    const path = (prefix === "" ? field(NAME) : `${prefix}/${field(NAME)}`).replace(/^[^/]*\//, "");
    const isFile = REGULAR_FILE.includes(String.fromCharCode(tar[at + TYPE_AT] as number));
    if (isFile && paths.includes(path)) files.set(path, tar.subarray(at + BLOCK, at + BLOCK + size));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}
