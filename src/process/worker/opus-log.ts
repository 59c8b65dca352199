import type { Logger } from "../../core/log/logger.ts";
import { packageFolder } from "../../core/runtime/installed-package.ts";
import type { LoadedOpus } from "../../media/opus/load.ts";

/** Logs which Opus library is used. It is the same in every worker, so all workers but the first log it at level `debug`. */
export function logOpusImplementation(
  { implementation, nativeFailure }: Pick<LoadedOpus, "implementation" | "nativeFailure">,
  isFirst: boolean,
  log: Logger,
): void {
  const library = implementation === "native" ? "@discordjs/opus (native)" : "libopus-wasm (WebAssembly)";
  log[isFirst ? "info" : "debug"]({ opus: implementation, library }, "Opus codec selected");
  if (nativeFailure === undefined || packageFolder("@discordjs/opus", import.meta.url) === undefined) return;
  log[isFirst ? "warn" : "debug"](
    { code: nativeFailure },
    "@discordjs/opus is installed and cannot be loaded: libopus-wasm takes its place",
  );
}
