import type { Variables } from "../../core/configuration/variable.ts";
import { OPERATOR_TOKEN_CHARS_MIN } from "../../core/limits/control-api/api.ts";
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
  TRUSTED_PROXIES: {
    format: "addresses and networks, separated by commas (`127.0.0.1,10.0.0.0/8`)",
    meaning:
      "the proxies in front of the API, whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed: by the address of the client " +
      "the guessing of passwords is slowed ([people](people.md#the-address-of-a-client)), and [web calls](web-calls.md#limits) are limited",
  },
  PUBLIC_MEDIA_URL: {
    defaultText: "`ws://` (`wss://` with a certificate) `MEDIA_HOST:MEDIA_PORT`",
    format: "a `ws://` or `wss://` address",
    meaning:
      "what `websocketUrl` begins with: the address that carriers reach. Required when `MEDIA_HOST` is `0.0.0.0` or `::`",
  },
  NODE_MEDIA_URL: {
    format: "a `ws://` or `wss://` address",
    meaning:
      "in a cluster, the address at which streams reach this node alone: `websocketUrl` of a call that is placed on it begins with it. " +
      "Without it all nodes share `PUBLIC_MEDIA_URL`, and a stream may reach any of them",
  },
  NODE_RELAY_URL: {
    format: "a `ws://` or `wss://` address",
    meaning:
      "in a cluster with one shared address, where the other nodes reach the media port of this one, for example `ws://10.0.0.5:8081`: " +
      "streams that listen to a call or resume it reach any node, and are relayed to that of the call",
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
  WEBRTC_UDP_PORTS: {
    format: "a range of UDP ports (`40000-40015`), two for each of `WEBRTC_WORKERS`",
    meaning:
      "turns on calls with `connectionType: webrtc`: each WebRTC worker takes one of these ports for the audio of all its calls, and its " +
      "replacement during a roll another one; see [WebRTC](webrtc.md)",
  },
  WEBRTC_WORKERS: {
    defaultText: "1 where `WEBRTC_UDP_PORTS` is set, else 0",
    range: [0, 64],
    meaning:
      "how many processes carry WebRTC calls. They carry no others: whatever ends one of them, no telephone call ends",
  },
  WEBRTC_MEDIA_PORT: {
    default: "8082",
    range: PORTS,
    meaning: "the port of the WebSockets of WebRTC calls, on `MEDIA_HOST`; 0 takes any free port",
  },
  PUBLIC_WEBRTC_URL: {
    defaultText: "`ws://` (`wss://` with a certificate) `MEDIA_HOST:WEBRTC_MEDIA_PORT`",
    format: "a `ws://` or `wss://` address",
    meaning:
      "what `websocketUrl` of a WebRTC call begins with: the address that browsers reach. Required when `MEDIA_HOST` is `0.0.0.0` or `::`",
  },
  WEBRTC_PUBLIC_ADDRESS: {
    defaultText: "the addresses of this machine",
    format: "an IP address (`203.0.113.7`)",
    meaning:
      "the address to which browsers send the audio, where it is not `MEDIA_HOST`, as behind a proxy, with NAT and in Docker. With it the " +
      "UDP ports are open on all addresses of this machine",
  },
  TURN_URLS: {
    format:
      "addresses of TURN servers, separated by commas (`turn:turn.example.com:3478`); set together with `TURN_SECRET`",
    meaning: "the TURN servers that browsers may use; see [WebRTC](webrtc.md#turn)",
  },
  TURN_SECRET: {
    format: "printable ASCII",
    meaning:
      "the secret that the TURN servers share with this service (coturn: `static-auth-secret`), for time-limited credentials",
  },
  METRICS_HOST: {
    default: "127.0.0.1",
    format: "an address or a host name",
    meaning:
      "where `GET /metrics`, `/healthz` and `/readyz` are served, without an API key, and `POST /drain` with the operator's token",
  },
  METRICS_PORT: {
    default: "9464",
    range: PORTS,
    orWord: "off",
    meaning: "the port of these; 0 takes any free port, `off` serves no metrics",
  },
  OPERATOR_TOKEN: {
    format: `${OPERATOR_TOKEN_CHARS_MIN} characters or more, printable ASCII without spaces`,
    meaning:
      "who sends it as `Authorization: Bearer …` with `POST /drain` to the metrics port drains this service; without it that is done " +
      "by SIGTERM or `npm run admin -- drain` alone",
  },
} as const satisfies Variables;
