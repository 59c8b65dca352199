// node tools/client/generate.mjs: reads an OpenAPI document from the standard input, and writes the types of its API to the standard
// output. `npm run client:types` runs it.

import { createRequire } from "node:module";
import { json } from "node:stream/consumers";

// npm links this folder to node_modules/client-generator. The packages are looked up there, so that a worktree can share the installed
// packages of another one.
const require = createRequire(new URL("../../node_modules/client-generator/package.json", import.meta.url));
const { default: openapiTypescript, astToString } = require("openapi-typescript");

const HEADER =
  "// Generated from the OpenAPI document by `npm run client:types`: change the routes, not this file.\n\n";

/** The document without the paths that are outside the API's base path, such as `/healthz`: they name servers of their own. */
function apiOnly({ servers: _, ...document }) {
  const paths = Object.entries(document.paths).filter(([, item]) =>
    Object.values(item).every((operation) => operation.servers === undefined),
  );
  return { ...document, paths: Object.fromEntries(paths) };
}

const document = apiOnly(await json(process.stdin));
process.stdout.write(HEADER + astToString(await openapiTypescript(document, { silent: true })));
