import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { finished } from "../processes.ts";

/** A Node line as people have it, with an npm that is in use with it: between them every npm from 10 to 12. */
export interface NodeLine {
  node: number;
  npm: number;
}

export const NODE_LINES: readonly NodeLine[] = [
  { node: 20, npm: 10 },
  { node: 22, npm: 10 },
  { node: 24, npm: 11 },
  { node: 26, npm: 12 },
];

/**
 * Installs the newest Node of a line, and its npm, into a folder of `cache`, and returns that folder. The programs are in its
 * `node_modules/.bin`. The package of the binary itself is taken, because the package `node` fetches it by an install script, which
 * npm 12 does not run. Throws with npm's words when they cannot be had.
 */
export function installNode(line: NodeLine, cache: string): Promise<string> {
  const key = `${cache} ${line.node} ${line.npm}`;
  const installed = installations.get(key) ?? install(line, cache);
  installations.set(key, installed);
  return installed;
}
/** Two lines that are proved at once need the same old Node. */
const installations = new Map<string, Promise<string>>();

async function install({ node, npm }: NodeLine, cache: string): Promise<string> {
  const folder = join(cache, `node-${node}`);
  mkdirSync(folder, { recursive: true });
  const binary = `node-${process.platform}-${process.arch}@${node}`;
  const { code, output } = await finished(["npm", "install", "--prefix", folder, "--no-save", binary, `npm@${npm}`], {
    directory: folder,
    logFile: join(cache, `node-${node}.log`),
    timeoutMs: 300_000,
  });
  if (code !== 0) throw new Error(`Node ${node} and npm ${npm} cannot be installed: ${output}`);
  return folder;
}
