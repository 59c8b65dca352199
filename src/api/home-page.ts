import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { SOFTWARE } from "../core/runtime/version.ts";
import { isLocalhost, isLoopbackAddress } from "../core/tools/addresses.ts";
import type { OwnerKnown } from "./dashboard/owner-known.ts";
import { type DashboardDeps, sendShell } from "./dashboard/routes.ts";
import { REFERENCE_PATH } from "./openapi/reference-page.ts";
import { TALK_PATH } from "./talk/page.ts";

export interface HomePageDeps extends DashboardDeps {
  /** The address of the metrics; undefined when they are not served, or not yet. */
  metricsAddress: () => { host: string; port: number } | undefined;
}

const VERSION = SOFTWARE.split("/")[1] ?? "";

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --line: #d0d7de; --link: #0757ba; --ground: #ffffff; --code: #f3f5f7 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e9ed; --soft: #a3adb8; --line: #3a424c; --link: #7ab7ff; --ground: #14181d; --code: #20262d }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif }
main { max-width: 44rem; margin: 0 auto; padding: 3rem 1.25rem }
h1 { margin: 0; font-size: 2rem; line-height: 1.2 }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.15rem }
p { margin: .5rem 0 }
.version { color: var(--soft) }
dl { margin: 0; border-top: 1px solid var(--line) }
dl > div { display: grid; grid-template-columns: 14rem 1fr; gap: .25rem 1rem; padding: .6rem 0; border-bottom: 1px solid var(--line) }
dd { margin: 0 }
a { color: var(--link) }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
code { padding: .1rem .3rem; border-radius: .25rem; background: var(--code); font: .9em ui-monospace, monospace; overflow-wrap: anywhere }
ol { margin: 0; padding-left: 1.4rem }
@media (max-width: 40rem) { dl > div { grid-template-columns: 1fr } }
`;

const CONTENT_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * `GET /`: the dashboard; before the service has an owner, what it is and links to its other pages. HTML, or JSON for a client that accepts JSON and no HTML. It requires no
 * API key, so of the configuration it shows only the address of the metrics, and only to a browser on this machine: on another
 * machine a loopback address would lead to the visitor's own machine.
 */
export function homePage(
  scope: FastifyInstance,
  {
    basePath,
    metricsAddress,
    owner,
    ...dashboard
  }: HomePageDeps & { basePath: string; owner: Pick<OwnerKnown, "exists"> },
): void {
  const documentPath = `${basePath}/openapi.json`;
  scope.get("/", { schema: { hide: true } }, async (request, reply) => {
    reply.header("vary", "Accept");
    const { accept = "" } = request.headers;
    const address = metricsAddress();
    const metricsUrl = address && isFromThisMachine(request) ? localUrlOf(address) : undefined;
    if (/\bapplication\/json\b/i.test(accept) && !/\btext\/html\b/i.test(accept)) {
      return {
        name: "Trunkline",
        version: VERSION,
        talk: TALK_PATH,
        reference: REFERENCE_PATH,
        openapi: documentPath,
        health: "/healthz",
        readiness: "/readyz",
        metrics: metricsUrl ?? null,
      };
    }
    if (await owner.exists()) return sendShell(request, reply, dashboard);
    return reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", CONTENT_POLICY)
      .send(
        page(documentPath, address === undefined ? METRICS_OFF : metricsUrl ? link(metricsUrl) : METRICS_ELSEWHERE),
      );
  });
}

const METRICS_OFF = "not served: <code>METRICS_PORT</code> is <code>off</code>";
const METRICS_ELSEWHERE = "at <code>METRICS_HOST</code>:<code>METRICS_PORT</code>, for the operator's own machines";

/**
 * Decides by the address of the socket. Forwarded headers are not trusted, but their presence means that the client may
 * be behind a proxy on this machine.
 */
function isFromThisMachine({ socket, headers }: FastifyRequest): boolean {
  if (headers.forwarded !== undefined || headers["x-forwarded-for"] !== undefined) return false;
  return isLoopbackAddress((socket.remoteAddress ?? "").replace(/^::ffff:/i, ""));
}

/** Undefined when other machines can reach the metrics: the page does not show addresses of the operator's network. */
function localUrlOf({ host, port }: { host: string; port: number }): string | undefined {
  if (!isLocalhost(host) && !isLoopbackAddress(host)) return undefined;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/metrics`;
}

function page(documentPath: string, metrics: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Trunkline</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Trunkline</h1>
<p class="version">Version ${VERSION}</p>
<p>A self-hosted service for voice AI agents: a control API that creates calls, and a real-time media gateway that carries them. This is the address of the control API.</p>
<h2>Where to go</h2>
<dl>
${row("Talk", `${link(TALK_PATH)}: speak or write to an agent, in this browser`)}
${row("API reference", `${link(REFERENCE_PATH)}: every operation, to read and to try`)}
${row("OpenAPI document", link(documentPath))}
${row("Health", `${link("/healthz")}: whether the process runs`)}
${row("Readiness", `${link("/readyz")}: whether new calls are accepted, and what this set-up lacks`)}
${row("Metrics", metrics)}
</dl>
<h2>The dashboard</h2>
<p>It opens here once the service has an owner: in the folder of the service, run <code>npm run admin -- owner-link</code> and open the link.</p>
<h2>A first call</h2>
<ol>
<li>Take the API key in the file <code>first-api-key</code> of the data directory, or create one in the folder of the service: <code>npm run api-keys -- create --name front-desk</code></li>
<li>Open the ${link(REFERENCE_PATH, "API reference")}, choose <em>Authorize</em> and paste the key.</li>
<li>Read the voices with <code>GET /voices</code>, then create a call with <code>POST /calls</code>.</li>
</ol>
<h2>Documents</h2>
<p>In the folder of the service: start with <code>README.md</code>; <code>docs/</code> has a page for each task; <code>CHANGELOG.md</code> says what is new.</p>
</main>
</body>
</html>
`;
}

const row = (term: string, description: string): string => `<div><dt>${term}</dt><dd>${description}</dd></div>`;

/** `address` is one of ours: a path, or the loopback address of the metrics. */
const link = (address: string, text = address): string => `<a href="${address}">${text}</a>`;
