// The last step of `npm run bench:build`, which compiles src/ and bench/ to bench/dist/.

import { copyAssets } from "./assets.mjs";
import { inProject } from "./paths.mjs";

copyAssets(inProject("bench/dist/src"));
