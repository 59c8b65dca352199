import { type ErrorCode, RETRY_AFTER_STATUSES, STATUS } from "../../../src/api/http/errors.ts";
import { CODE_MEANINGS, MEANINGS_BY_STATUS } from "../../../src/api/openapi/responses.ts";
import { END_REASON_MEANINGS, END_REASONS } from "../../../src/core/calls/reasons.ts";
import { ERROR_MEANINGS } from "../../../src/core/errors.ts";
import { closeCodeOf } from "../../../src/gateway/leg/close-codes.ts";
import { REFUSALS } from "../../../src/gateway/server/upgrade.ts";
import { FAILOVER_MEANINGS } from "../../../src/speech/contracts.ts";
import { CLIENT_ERROR_MEANINGS } from "../../../src/wire/client-errors.ts";
import { inCode, markdownTable } from "./markdown.ts";

const meaningTable = (meanings: Readonly<Record<string, string>>): string =>
  markdownTable(
    ["code", "meaning"],
    Object.entries(meanings).map(([code, meaning]) => [inCode(code), meaning]),
  );

/** The code that a status has when it has a meaning of its own. */
const CODES_BY_STATUS: Readonly<Record<string, ErrorCode>> = { 408: "invalid_request", 501: "unavailable" };

function apiErrors(): string {
  const usual = Object.entries(CODE_MEANINGS).map(([code, meaning]) => ({
    code,
    status: STATUS[code as ErrorCode],
    meaning,
  }));
  const others = Object.entries(MEANINGS_BY_STATUS).map(([status, meaning]) => {
    const code = CODES_BY_STATUS[status];
    if (code === undefined) throw new Error(`which code has ${status}?`);
    return { code, status: Number(status), meaning };
  });
  const rows = [...usual, ...others].sort((a, b) => a.status - b.status);
  return markdownTable(
    ["status", "code", "meaning", "header"],
    rows.map(({ code, status, meaning }) => [String(status), inCode(code), meaning, headersOf(status)]),
  );
}

function headersOf(status: number): string {
  if (status === 401) return inCode("WWW-Authenticate");
  if (status === 405) return inCode("Allow");
  return RETRY_AFTER_STATUSES.includes(status) ? inCode("Retry-After") : "";
}

const endReasons = (): string =>
  markdownTable(
    ["end reason", "meaning", "close code"],
    END_REASONS.map((reason) => [
      inCode(reason),
      END_REASON_MEANINGS[reason],
      // No stream was connected that could be closed.
      reason === "token_expired" ? "" : String(closeCodeOf(reason)),
    ]),
  );

const mediaPortErrors = (): string =>
  markdownTable(
    ["status", "code", "meaning"],
    Object.entries(REFUSALS).map(([status, { code, message }]) => [status, inCode(code), message]),
  );

/** The tables of error codes and end reasons, by name. */
export const errorTables = (): Record<string, string> => ({
  "api-errors": apiErrors(),
  "media-port-errors": mediaPortErrors(),
  "client-errors": meaningTable(CLIENT_ERROR_MEANINGS),
  "log-errors": meaningTable(ERROR_MEANINGS),
  "provider-failures": meaningTable(FAILOVER_MEANINGS),
  "end-reasons": endReasons(),
});
