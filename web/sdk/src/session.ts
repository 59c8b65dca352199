import { asCallError, type CallErrorCode, TrunklineCallError } from "./errors.ts";
import type { CallSource, PublishableSession } from "./types.ts";

/** What the SDK can play and record where the audio travels on the socket. */
const AUDIO_FORMAT = { codec: "pcm_s16le", inputSampleRate: 16_000, outputSampleRate: 24_000 };

/** Services that have answered that they have no WebRTC: a refused request counts as a start, so each is asked once. */
const withoutWebrtc = new Set<string>();

/** The `websocketUrl` of a new call. Rejects with a TrunklineCallError. `webrtc`: whether the page would use it. */
export async function websocketUrlOf(source: CallSource, webrtc: boolean): Promise<string> {
  if (source.session === undefined) return source.url;
  if (typeof source.session !== "function") return await startCall(source.session, webrtc);
  try {
    return (await source.session()).websocketUrl;
  } catch (error) {
    throw asCallError(error, "service_unavailable");
  }
}

async function startCall(session: PublishableSession, webrtc: boolean): Promise<string> {
  const apiUrl = session.apiUrl.replace(/\/+$/, "");
  if (webrtc && !withoutWebrtc.has(apiUrl)) {
    const answer = await request(apiUrl, session, { connectionType: "webrtc" });
    if (answer.status === 501) withoutWebrtc.add(apiUrl);
    // 503: no worker for WebRTC is free at present, but one for the socket may be.
    else if (answer.status !== 503) return await readUrl(answer);
  }
  return await readUrl(await request(apiUrl, session, { connectionType: "websocket", websocket: AUDIO_FORMAT }));
}

async function request(apiUrl: string, session: PublishableSession, call: object): Promise<Response> {
  const { agentId, publishableKey, variables } = session;
  const url = `${apiUrl}/api/v1/agents/${encodeURIComponent(agentId)}/web-calls`;
  try {
    return await fetch(url, {
      method: "POST",
      headers: { "X-API-Key": publishableKey, "Content-Type": "application/json" },
      body: JSON.stringify({ ...call, ...(variables !== undefined && { variables }) }),
    });
  } catch (error) {
    throw new TrunklineCallError((await answers(apiUrl)) ? "forbidden" : "unreachable", error);
  }
}

/**
 * Whether the service answers at all. Then it is the page's origin that it does not answer, which browsers do not tell. Pages of
 * every origin may read this file, and no other address.
 */
const answers = (apiUrl: string): Promise<boolean> =>
  fetch(`${apiUrl}/sdk/v1.json`).then(
    () => true,
    () => false,
  );

async function readUrl(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => undefined);
  const { websocketUrl, error } = (body ?? {}) as { websocketUrl?: string; error?: { code?: string } };
  if (answer.ok && typeof websocketUrl === "string") return websocketUrl;
  throw new TrunklineCallError(codeOf(answer.status, error?.code), error ?? `status ${answer.status}`);
}

function codeOf(status: number, code: string | undefined): CallErrorCode {
  if (status === 401 || status === 403) return "forbidden";
  if (status === 429) return code === "spend_limit" ? "spend_limit" : "rate_limited";
  return status >= 500 ? "service_unavailable" : "invalid_request";
}
