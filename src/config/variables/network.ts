import type { Variables } from "../../core/configuration/variable.ts";
import { MEDIA_SERVERS } from "../../gateway/server/media-server.ts";

/** 0 takes any free port. */
const PORTS = [0, 65_535] as const;

/** Addresses and TLS. */
export const NETWORK_VARIABLES = {
  API_HOST: {
    default: "127.0.0.1",
    format: "an address or a host name",
    meaning: "where the control API listens",
  },
  API_PORT: { default: "8080", range: PORTS, meaning: "the port of the control API; 0 takes any free port" },
  MEDIA_HOST: {
    default: "127.0.0.1",
    format: "an address or a host name",
    meaning: "where the media gateway listens",
  },
  MEDIA_PORT: { default: "8081", range: PORTS, meaning: "the port of the media gateway; 0 takes any free port" },
  MEDIA_SERVER: {
    default: "auto",
    oneOf: ["auto", ...MEDIA_SERVERS],
    meaning:
      "the library that serves the media port: `uws` (uWebSockets.js), `ws`, or `auto`: uWebSockets.js where it has a binary for " +
      "this machine, else ws; see [Node versions](node-versions.md#media_server)",
  },
  PUBLIC_API_URL: {
    format: "`http://` or `https://` addresses, separated by commas",
    meaning:
      "the addresses of the API, the primary first, with or without `/api/v1`: the `servers` of the OpenAPI document",
  },
  CORS_ORIGINS: {
    format: "origins, separated by commas (`http://localhost:5173`); `*` is refused",
    meaning:
      "for development: exact origins whose pages may read the answers of the API and the refusals of the media port. Such a page " +
      "shows its API key to everyone who opens it: see [the API](api.md#from-a-web-page-in-development)",
  },
  PUBLIC_MEDIA_URL: {
    defaultText: "`ws://` (`wss://` with a certificate) `MEDIA_HOST:MEDIA_PORT`",
    format: "a `ws://` or `wss://` address",
    meaning:
      "what `websocketUrl` begins with: the address that carriers reach. Required when `MEDIA_HOST` is `0.0.0.0` or `::`",
  },
  MEDIA_TLS_CERT_FILE: {
    format: "a PEM file",
    meaning:
      "the certificate followed by its chain; set together with `MEDIA_TLS_KEY_FILE`. The media gateway then serves TLS 1.2 and " +
      "1.3 itself; see [carriers](carriers.md#tls)",
  },
  MEDIA_TLS_KEY_FILE: {
    format: "a PEM file",
    meaning: "the private key of the certificate, without a passphrase",
  },
  METRICS_HOST: {
    default: "127.0.0.1",
    format: "an address or a host name",
    meaning: "where `GET /metrics`, `/healthz` and `/readyz` are served, without an API key",
  },
  METRICS_PORT: {
    default: "9464",
    range: PORTS,
    orWord: "off",
    meaning: "the port of these; 0 takes any free port, `off` serves no metrics",
  },
} as const satisfies Variables;
