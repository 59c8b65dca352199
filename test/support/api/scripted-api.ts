import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What a scripted service answers to a request. */
export interface ScriptedAnswer {
  /** 200 by default. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Text goes as it is, everything else as JSON; nothing without it. `cut` closes the connection after the first byte of a body. */
  body?: unknown;
  cut?: true;
}

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A service that gives these answers, one after the other, and again the last one; closed after the test. */
export async function scriptedApi(answers: readonly ScriptedAnswer[]) {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const answer = answers[Math.min(requests.length, answers.length - 1)] ?? {};
      const { method = "", url = "", headers } = request;
      requests.push({ method, url, headers, body });
      const text =
        typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? "").replace(/^""$/, "");
      response.writeHead(answer.status ?? 200, answer.headers);
      if (answer.cut) response.write(text.slice(0, 1), () => response.destroy());
      else response.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** An error as the API answers it. */
export const apiError = (
  status: number,
  code: string,
  { details = [], headers = {} }: { details?: readonly object[]; headers?: Readonly<Record<string, string>> } = {},
): ScriptedAnswer => ({
  status,
  headers,
  body: { error: { code, message: "no", details, requestId: "req_1" } },
});
