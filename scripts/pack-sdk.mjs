// The first step of `npm pack ./web/sdk`: the package holds a build of its own.

import { buildSdk } from "./build-web.mjs";
import { hasCompiler } from "./compile.mjs";
import { inProject } from "./paths.mjs";

if (!hasCompiler() || !(await buildSdk(inProject("web/sdk/dist")))) process.exitCode = 1;
