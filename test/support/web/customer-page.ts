import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A page of a customer, on an origin of its own. */
export interface CustomerPage {
  origin: string;
  close(): Promise<void>;
}

export interface CustomerPageOptions {
  /** The content security policy; by default none. */
  contentPolicy?: string;
  /** The whole page, as it is when it is asked for. */
  html: () => string;
  /** Its script, at `/page.js`. */
  script?: () => string;
  /** The worklet of the SDK, beside the script. */
  worklet?: string;
  /** Answers `POST /session`, as the customer's own server does. */
  session?: () => Promise<object>;
}

/** A page with this in its body. */
export const shopWith = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>A shop</title><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"></head>` +
  `<body><main><h1>A shop</h1>${body}</main></body></html>`;

/** Serves such a page. */
export async function customerPage(options: CustomerPageOptions): Promise<CustomerPage> {
  const { contentPolicy, html, script = () => "", worklet = "", session = async () => ({}) } = options;
  const policy = contentPolicy === undefined ? {} : { "content-security-policy": contentPolicy };
  const answers: Readonly<Record<string, () => Promise<readonly [type: string, text: string]>>> = {
    "POST /session": async () => ["application/json", JSON.stringify(await session())],
    "GET /page.js": async () => ["text/javascript", script()],
    "GET /worklet.js": async () => ["text/javascript", worklet],
    "GET /": async () => ["text/html; charset=utf-8", html()],
    "GET /favicon.ico": async () => ["image/x-icon", ""],
  };
  const server = createServer((request, response) => {
    const answer = answers[`${request.method} ${request.url}`];
    if (answer === undefined) response.writeHead(404).end();
    else void answer().then(([type, text]) => response.writeHead(200, { "content-type": type, ...policy }).end(text));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
