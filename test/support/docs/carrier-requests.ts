import type { PhoneDemoDocument } from "../../../src/cli/demo/phone/report.ts";
import type { LoggedRequest } from "../../../src/simulator/emulator/rest/request-log.ts";
import { inCode, markdownTable } from "../../repository/tables/markdown.ts";

/** Ids and ports, which differ from run to run or say nothing, and what stands for each. The first that fits is used. */
const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  [/AC[0-9a-f]{32}/g, "{AccountSid}"],
  [/CA[0-9a-f]{32}/g, "{CallSid}"],
  [/PN[0-9a-f]{32}/g, "{Sid}"],
  [/MA[A-Z0-9]{18}/g, "{auth_id}"],
  [/v3:[0-9a-f]{32}/g, "{call_control_id}"],
  [/call_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "{call}"],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "{call_uuid}"],
  [/\b\d{15,}\b/g, "{id}"],
  [/(127\.0\.0\.1):\d+/g, "$1:{port}"],
  [/\(redacted\)=*/g, "{secret}"],
];
/** What only a transfer's request has: the name, or the document's verb. */
const TRANSFER = /transfer|<Dial/;

/**
 * The table of a carrier's page with the requests that the service has sent in the calls of the telephone demo. Without requests
 * that read: prices are read some time after a call.
 */
export function carrierRequestsTable({ setUpRequests, inbound, outbound }: PhoneDemoDocument): string {
  const acting = (requests: readonly LoggedRequest[]) => requests.filter(({ method }) => method !== "GET");
  const received = acting(inbound.requests);
  const at = received.findIndex(({ path, body }) => TRANSFER.test(`${path} ${JSON.stringify(body)}`));
  return markdownTable(
    ["in", "request", "body", "answer"],
    [
      ...rowsOf("set-up", setUpRequests),
      ...rowsOf("inbound call", received.slice(0, at)),
      ...rowsOf("transfer", received.slice(at)),
      ...rowsOf("outbound call", acting(outbound.requests)),
    ],
  );
}

function rowsOf(call: string, requests: readonly LoggedRequest[]): string[][] {
  if (requests.length === 0) return [[call, "none", "", ""]];
  return requests.map(({ method, path, query, body, status }) => [
    call,
    inCode(placed([`${method} ${path}`, membersOf(query ?? {}).join("&")].filter((part) => part !== "").join("?"))),
    membersOf(body)
      .map((member) => inCode(placed(member)))
      .join(" "),
    String(status),
  ]);
}

const membersOf = (values: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(values).map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);

const placed = (text: string): string =>
  PLACEHOLDERS.reduce((whole, [pattern, placeholder]) => whole.replaceAll(pattern, placeholder), text);
