import type { Config } from "../config/config.ts";
import { packageFolder } from "../core/runtime/installed-package.ts";
import { TRACE_PACKAGES } from "../record/traces/exporter.ts";

/** The packages that are missing for traces; none where they are not configured. */
export const missingTracePackages = ({ traces }: Pick<Config, "traces">): readonly string[] =>
  traces === undefined ? [] : TRACE_PACKAGES.filter((name) => packageFolder(name, import.meta.url) === undefined);

/** Where traces are sent; undefined where that is not configured, or a package is missing. */
export const usableTraces = (config: Pick<Config, "traces">): Config["traces"] =>
  missingTracePackages(config).length === 0 ? config.traces : undefined;
