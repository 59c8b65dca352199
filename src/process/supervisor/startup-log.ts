import { readFileSync } from "node:fs";
import type { Logger } from "../../core/log/logger.ts";
import { isNodeUntested, NODE_MAJOR_TESTED_MAX } from "../../core/runtime/node-version.ts";
import type { MediaServerChoice } from "../../gateway/server/choice.ts";

const MIGRATE_REQUESTS_PATH = "/proc/sys/net/ipv4/tcp_migrate_req";

/**
 * When a listener closes, Linux resets the connections that it has not accepted, unless `tcp_migrate_req` lets the kernel pass
 * them to another listener of the port.
 */
export function warnOfConnectionResets(log: Logger, path = MIGRATE_REQUESTS_PATH): void {
  let setting: string;
  try {
    setting = readFileSync(path, "utf8").trim();
  } catch {
    // The setting exists on Linux since 5.14 only.
    return;
  }
  if (setting === "1") return;
  log.warn("connections may be reset while a worker is replaced or full: run sysctl -w net.ipv4.tcp_migrate_req=1");
}

/** Logs which media server is used, and warns of a Node version that is not tested. */
export function logMediaServer(mediaServer: MediaServerChoice, log: Logger, node = process.versions.node): void {
  const { folder: _, ...fields } = { folder: "", ...mediaServer };
  log.info(fields, "media server selected");
  if (isNodeUntested(node)) {
    log.warn({ node }, `Node is newer than the newest tested version, ${NODE_MAJOR_TESTED_MAX}`);
  }
}

/** What a person at the terminal can do next. `ownerLink` is shown here and nowhere else. */
export const nextStep = (serviceUrl: string, ownerLink: string | undefined): string =>
  ownerLink === undefined
    ? `
  Talk to an agent in a browser:  ${serviceUrl}/talk
  A link to try a prompt of yours: npm run admin -- owner-link

`
    : `
  Talk to an agent in a browser:  ${ownerLink}
  This link works once, within 15 minutes. Another one: npm run admin -- owner-link

`;
