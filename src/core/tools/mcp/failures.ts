import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { isRefusedAddress } from "../../network/guarded-http.ts";
import { failed, type ToolOutcome, UNREACHABLE } from "../outcome.ts";
import type { FetchProblem } from "./guarded-fetch.ts";

/** The outcome of a request to an MCP server that failed. `bytesMax`: of its answers. */
export function failureOf(error: unknown, problem: FetchProblem | undefined, bytesMax: number): ToolOutcome {
  if (problem === "redirect") return failed("status", "its server redirects, and redirects are not followed");
  if (problem === "encoding") return failed("unreadable", "its server's answer has a content encoding");
  if (problem === "too_large") return failed("too_large", `its server's answer is over ${bytesMax / 1_024} KiB`);
  const cause = causeOf(error);
  if (isRefusedAddress(cause)) return failed("address_refused", UNREACHABLE);
  if (error instanceof StreamableHTTPError) {
    return error.code !== undefined && error.code > 0
      ? failed("status", `its server answered with status ${error.code}`, { status: error.code })
      : failed("unreadable", "its server's answer is neither JSON nor a stream of events");
  }
  if (error instanceof McpError) return protocolFailure(error);
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  if (code !== undefined) return failed("unreachable", UNREACHABLE, { cause: code });
  return failed("protocol", "its server's answer is none of the protocol");
}

/** Whether the server itself answered with an error of the protocol. */
export const isServersError = (error: unknown): boolean =>
  error instanceof McpError && error.code !== ErrorCode.RequestTimeout && error.code !== ErrorCode.ConnectionClosed;

function protocolFailure({ code, message }: McpError): ToolOutcome {
  if (code === ErrorCode.RequestTimeout) return failed("timeout", "its server did not answer in time");
  if (code === ErrorCode.ConnectionClosed) return failed("unreachable", UNREACHABLE);
  return failed("protocol", `its server refused the request: ${message.replace(/^MCP error -?\d+: /, "")}`);
}

/** The error of the connection, which others may wrap. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}
