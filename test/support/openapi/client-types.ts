import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { PROJECT } from "../repository/files.ts";

/** The committed types of the TypeScript client. */
export const CLIENT_TYPES = join(PROJECT, "web/client/src/generated.ts");

const GENERATOR = join(PROJECT, "tools/client/generate.mjs");
const OUTPUT_BYTES_MAX = 64 * 1_024 * 1_024;

/** The types of the API that an OpenAPI document describes, as the text of a module. */
export const typesOf = (document: object): string =>
  execFileSync(process.execPath, [GENERATOR], {
    input: JSON.stringify(document),
    encoding: "utf8",
    maxBuffer: OUTPUT_BYTES_MAX,
  });
