import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { IngestTask } from "../../../src/knowledge/documents/ingester.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

/** A document with this content in a folder of its own, to be read. */
export function ingestTaskOf(content: string | Buffer): IngestTask {
  const folder = temporaryDirectory();
  const path = join(folder, "file");
  writeFileSync(path, content);
  return { path, chunksPath: join(folder, "chunks"), name: "document", languageId: "en" };
}
