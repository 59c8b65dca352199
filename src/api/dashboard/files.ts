import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One file of the dashboard, in memory: as it is, and as the build compressed it. */
export interface DashboardFile {
  /** The hash of its content, with which no other content is served. */
  etag: string;
  contentType: string;
  content: Buffer;
  gzip: Buffer;
  brotli: Buffer;
}

/** The dashboard as the build made it. */
export interface DashboardFiles {
  /** The document of every page. */
  shell: DashboardFile;
  /** A file that the document or another file loads, by the last part of its address. */
  find(name: string): DashboardFile | undefined;
  /** The names of what a page loads beyond what the document names, by the page's path: `calls/:id`. None for a path that is no page. */
  ofPage(path: string): readonly string[];
}

/** Reads the files of a build. Undefined where there is none, as in a fresh clone from which tests run. Throws for a broken one. */
export function readDashboardFiles(folder: string): DashboardFiles | undefined {
  const manifestPath = join(folder, "manifest.json");
  if (!existsSync(manifestPath)) return undefined;
  const { files, pages } = JSON.parse(readFileSync(manifestPath, "utf8")) as {
    files: Record<string, { contentType: string }>;
    pages: Record<string, readonly string[]>;
  };
  const ofPages = new Map(Object.entries(pages));
  const read = new Map(
    Object.entries(files).map(([name, { contentType }]) => [name, readFile(join(folder, name), contentType)]),
  );
  return {
    shell: readFile(join(folder, "index.html"), "text/html; charset=utf-8"),
    find: (name) => read.get(name),
    ofPage: (path) => ofPages.get(path) ?? [],
  };
}

function readFile(path: string, contentType: string): DashboardFile {
  const content = readFileSync(path);
  const etag = createHash("sha256").update(content).digest("base64url");
  return { etag, contentType, content, gzip: readFileSync(`${path}.gz`), brotli: readFileSync(`${path}.br`) };
}
