import { newId } from "../../core/new-id.ts";
import { CLOSED_WITHOUT_FRAME } from "../transport/close-codes.ts";
import type { LivenessOptions } from "../transport/liveness.ts";
import type { Transport, TransportListener } from "../transport/transport.ts";
import type { Admission, MediaServerOptions } from "./media-server.ts";

// What both media servers share in handling a stream request: the rules of an upgrade, the admission, the refusals,
// and the stream that it opens.

/** Reads a header of a request by its name in lower case; empty where it is missing. */
export type HeaderReader = (name: string) => string;

/** 16 bytes in base64. */
const WEBSOCKET_KEY = /^[+/0-9A-Za-z]{22}==$/;

/** RFC 6455, section 4.2.1. Checked here, because each library has its own rules for what it upgrades. */
export const isUpgrade = (header: HeaderReader): boolean =>
  /\bupgrade\b/i.test(header("connection")) &&
  header("upgrade").toLowerCase() === "websocket" &&
  WEBSOCKET_KEY.test(header("sec-websocket-key")) &&
  header("sec-websocket-version") === "13";

export type RefusalStatus = 401 | 404 | 426 | 503 | 504;

/** The response to a request that becomes no stream, in the same shape as the control API's errors. */
export interface Refusal {
  /** The status with its reason phrase. */
  statusLine: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: string;
  requestId: string;
}

/** The refusals of the media port, by status. docs/errors.md lists them. */
export const REFUSALS: Readonly<Record<RefusalStatus, { statusLine: string; code: string; message: string }>> = {
  401: { statusLine: "401 Unauthorized", code: "unauthorized", message: "the stream token is not valid" },
  404: { statusLine: "404 Not Found", code: "not_found", message: "not found: the only path is /stream/{token}" },
  426: {
    statusLine: "426 Upgrade Required",
    code: "upgrade_required",
    message: "this address speaks WebSocket, version 13",
  },
  503: {
    statusLine: "503 Service Unavailable",
    code: "unavailable",
    message: "new streams are not accepted at present",
  },
  504: {
    statusLine: "504 Gateway Timeout",
    code: "node_unreachable",
    message: "the node that has the call does not answer",
  },
};

/**
 * The refusal with this status and a new request id; `cors` are the headers that allow a page to read it. The server
 * that writes it adds `Connection` and `Content-Length`.
 */
export function refusalOf(status: RefusalStatus, cors: Refusal["headers"]): Refusal {
  const { statusLine, code, message } = REFUSALS[status];
  const requestId = newId("req");
  return {
    statusLine,
    headers: [
      ["Content-Type", "application/json; charset=utf-8"],
      ["Cache-Control", "no-store"],
      ["X-Request-Id", requestId],
      // RFC 9110, section 11.6.1, requires a challenge; the token is in the path.
      ...(status === 401 ? [["WWW-Authenticate", 'StreamToken realm="Trunkline"'] as const] : []),
      ...(status === 426 ? [["Upgrade", "websocket"] as const] : []),
      ...(status === 503 ? [["Retry-After", "1"] as const] : []),
      ...cors,
    ],
    body: JSON.stringify({ error: { code, message, details: [], requestId } }),
    requestId,
  };
}

/** What the address of a stream request says. */
export interface StreamRequest {
  token: string;
  asksToResume: boolean;
}

/** Whether the query of a stream's address, without the question mark, asks to resume. */
export const asksToResume = (query: string): boolean => query.split("&").includes("resume=true");

/**
 * Redeems the token of a stream request, whose headers are read before this returns its promise. If admission itself
 * fails, `onBug` gets the error, and the peer 503. Never rejects.
 */
export async function admitStream(
  { admit, headerNames, liveness }: Pick<MediaServerOptions, "admit" | "headerNames" | "liveness">,
  { token, asksToResume }: StreamRequest,
  header: HeaderReader,
  onBug: (error: unknown) => void,
): Promise<AdmittedStream | RefusalStatus> {
  try {
    const headers = Object.fromEntries(headerNames.map((name) => [name, header(name)]));
    const admission = await admit(token, headers, asksToResume);
    return admission.kind === "refused" ? admission.status : new AdmittedStream(admission, liveness);
  } catch (error) {
    onBug(error);
    return 503;
  }
}

/**
 * The right to open the stream of an admission. It must be used exactly once: until then the gateway counts the
 * admission as pending.
 */
export class AdmittedStream {
  readonly liveness: LivenessOptions;
  readonly #open: (transport: Transport) => TransportListener;
  #isUsed = false;

  constructor({ open }: Admission & { kind: "admitted" }, liveness: LivenessOptions) {
    this.#open = open;
    this.liveness = liveness;
  }

  /** Opens the stream on its transport. Throws what the gateway throws. */
  open(transport: Transport): TransportListener {
    this.#isUsed = true;
    return this.#open(transport);
  }

  /**
   * The upgrade has failed: the token is redeemed, so the call begins and ends at once and gets its record. Does
   * nothing after the stream was opened. Throws what the gateway throws.
   */
  abandon(): void {
    if (this.#isUsed) return;
    const { liveness } = this;
    this.open({ liveness, bufferedBytes: 0, send: () => true, ping: () => {}, close: () => {} }).closed(
      CLOSED_WITHOUT_FRAME,
      false,
    );
  }
}
