import { fileURLToPath } from "node:url";

export const inProject = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

/** Exists where the build in dist/ is finished. */
export const BUILD_MARK = inProject("dist/.finished");
