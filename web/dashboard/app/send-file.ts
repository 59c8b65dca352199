import { errorOf, noAnswer, notJson } from "../../client/src/error.ts";
import { SESSION_BASE } from "./addresses.ts";
import { noteAnswer } from "./api.ts";
import { currentSession } from "./session.ts";

/** How much of a request's body has left the browser. */
export interface BytesSent {
  sent: number;
  /** Of the whole body, which is a little more than its file. */
  total: number;
}

export interface FileRequest {
  method: "POST" | "PUT";
  /** Below `/api/v1`, with its values filled in and encoded. */
  path: string;
  /** A form with a file, or what is sent as JSON. */
  body: FormData | object;
  onSent?: (bytes: BytesSent) => void;
  signal?: AbortSignal;
}

/**
 * Sends a request whose body takes time, and says how far it is: `fetch` cannot. Resolves with the JSON of the answer; rejects with
 * TrunklineApiError, and after an abort with the reason of the signal.
 */
export function sendFile<Answer>({ method, path, body, onSent, signal }: FileRequest): Promise<Answer> {
  const what = `${method} ${path.replaceAll(/\/[a-z]+_[0-9a-f-]+/g, "/{id}")}`;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open(method, `${SESSION_BASE}/api/v1${path}`);
    const csrfToken = currentSession()?.csrfToken;
    if (csrfToken !== undefined) request.setRequestHeader("X-CSRF-Token", csrfToken);
    const isForm = body instanceof FormData;
    if (!isForm) request.setRequestHeader("Content-Type", "application/json");
    request.upload.onprogress = ({ loaded, total }) => onSent?.({ sent: loaded, total });
    request.onerror = () => reject(noAnswer(what, new TypeError("the connection was lost")));
    request.onabort = () => reject(signal?.reason);
    request.onload = () => {
      noteAnswer(request.status, request.getResponseHeader("date"));
      const response = new Response(null, { status: request.status, headers: headersOf(request) });
      if (!response.ok) reject(errorOf(what, response, request.responseText, undefined));
      else {
        try {
          resolve(JSON.parse(request.responseText) as Answer);
        } catch {
          reject(notJson(what, response));
        }
      }
    };
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(isForm ? body : JSON.stringify(body));
  });
}

/** Those that errors are made of. */
function headersOf(request: XMLHttpRequest): Headers {
  const requestId = request.getResponseHeader("x-request-id");
  return new Headers(requestId === null ? {} : { "x-request-id": requestId });
}
