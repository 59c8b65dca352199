// The first step of `npm run bench:build`: the benches import the client of the API from dist/.

import { compileClient, hasCompiler } from "./compile.mjs";

if (!hasCompiler() || !compileClient()) process.exitCode = 1;
