import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../../core/runtime/installed-package.ts";
import { type Runtime, UWS_LINES, type UwsPackage, uwsPackageName } from "../choice.ts";

/** The runtime of this process, and the packages that a module at `from`, a path or file URL, would find. */
export function currentRuntime(from: string = import.meta.url): Runtime {
  return {
    nodeVersion: process.versions.node,
    platform: process.platform,
    arch: process.arch,
    glibcVersion: glibcVersion(),
    packages: UWS_LINES.flatMap(({ nodeMajor }) => packageFor(nodeMajor, from) ?? []),
  };
}

function glibcVersion(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime;
}

function packageFor(nodeMajor: number, from: string): UwsPackage | undefined {
  const name = uwsPackageName(nodeMajor);
  const folder = packageFolder(name, from);
  if (folder === undefined) return undefined;
  return { nodeMajor, name, folder, version: versionOf(folder), problem: binaryProblem(join(folder, "uws.node")) };
}

function versionOf(folder: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: unknown };
    return typeof version === "string" && existsSync(join(folder, "index.js")) ? version : undefined;
  } catch {
    return undefined;
  }
}

// The ELF header: https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html
const ELF_HEADER_BYTES = 64;
const ELF_MAGIC = 0x7f454c46;
const ELF_CLASS_64 = 2;
const ELF_MACHINE_X64 = 62;

/**
 * What is wrong with a binary, judged by its file alone: the system would kill the whole process on a truncated one.
 * The section headers are last in the file, so a complete file reaches to their end.
 */
function binaryProblem(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return "its uws.node cannot be read";
  }
  try {
    const header = Buffer.alloc(ELF_HEADER_BYTES);
    const { size } = fstatSync(file);
    const isElf = readSync(file, header) === ELF_HEADER_BYTES && header.readUInt32BE(0) === ELF_MAGIC;
    if (!isElf) return "its uws.node is not a Linux binary";
    const machine = header.readUInt16LE(18);
    if (header[4] !== ELF_CLASS_64 || machine !== ELF_MACHINE_X64) {
      return `its uws.node is for another processor (ELF machine ${machine}, not ${ELF_MACHINE_X64})`;
    }
    const completeBytes = Number(header.readBigUInt64LE(40)) + header.readUInt16LE(58) * header.readUInt16LE(60);
    return size < completeBytes ? `its uws.node is truncated: ${size} of ${completeBytes} bytes` : undefined;
  } finally {
    closeSync(file);
  }
}
