import type { FastifyInstance } from "fastify";
import type { MediaUrls } from "../../core/network/media-urls.ts";
import { built, type WebFilesDeps } from "../web-files/routes.ts";

export interface TalkPageDeps extends WebFilesDeps {
  /** The beginning of every `websocketUrl`. */
  mediaUrls: MediaUrls;
}

/** The path of the page. */
export const TALK_PATH = "/talk";

/** Everything comes from this service; a call goes to the media plane, which has an origin of its own. */
const contentPolicy = ({ media, webrtc }: MediaUrls): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${[...new Set(["'self'", ...[media, webrtc ?? media].map((url) => new URL(url).origin)])].join(" ")}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/**
 * `GET /talk`: the page on which a person talks to an agent. It is the same for everyone: an owner link is in the fragment of the
 * address, which browsers send to no server, so that neither an access log nor a Referer header has it, and a program that only
 * looks at a link does not use it up.
 */
export function talkPage(fastify: FastifyInstance, { webFiles, mediaUrls }: TalkPageDeps): void {
  fastify.get(TALK_PATH, { schema: { hide: true } }, async (request, reply) => {
    // The addresses of its files are relative, because a proxy may add a prefix to this path.
    if (/\/(?:\?|$)/.test(request.url)) return reply.redirect("../talk");
    const files = built(webFiles);
    return reply
      .type("text/html; charset=utf-8")
      .headers({
        "content-security-policy": contentPolicy(mediaUrls),
        "referrer-policy": "no-referrer",
        "permissions-policy": "microphone=(self), speaker-selection=(self), camera=(), geolocation=()",
      })
      .send(pageOf(files.entry("talk"), files.entry("talkStyle")));
  });
}

interface Linked {
  name: string;
  integrity: string;
}

const pageOf = (script: Linked, style: Linked): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Talk to an agent · Trunkline</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="talk/files/${style.name}" integrity="${style.integrity}">
<script type="module" src="talk/files/${script.name}" integrity="${script.integrity}"></script>
</head>
<body>
<div id="page"><noscript>This page needs JavaScript: it carries your voice to the agent.</noscript></div>
</body>
</html>
`;
