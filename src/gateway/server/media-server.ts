import type { Logger } from "../../core/log/logger.ts";
import type { UpgradeHeaders } from "../../wire/upgrade.ts";
import type { LivenessOptions } from "../transport/liveness.ts";
import type { Transport, TransportListener } from "../transport/transport.ts";
import type { CertificateFiles } from "./certificate.ts";
import type { OpenStreams } from "./open-streams.ts";

/** The libraries that can serve the media port. */
export const MEDIA_SERVERS = ["uws", "ws"] as const;
export type MediaServerName = (typeof MEDIA_SERVERS)[number];

/** The result of an admission: what takes the stream's transport, or a refusal with its HTTP status. */
export type Admission =
  | { kind: "admitted"; open(transport: Transport): TransportListener }
  | { kind: "refused"; status: 401 | 503 | 504 };

export interface MediaServerOptions {
  /** The names of the headers of an upgrade that `admit` gets, in lower case. */
  headerNames: readonly string[];
  /**
   * Redeems the token of `/stream/{token}`, for a request with these headers; `asksToResume` is whether its query has
   * `resume=true`. Allocates nothing for invalid tokens. Every admission is opened exactly once, even if the upgrade
   * fails.
   */
  admit(token: string, headers: UpgradeHeaders, asksToResume: boolean): Promise<Admission>;
  /** With a certificate the server speaks only TLS 1.2 and 1.3. */
  tls?: CertificateFiles | undefined;
  /**
   * The current limit on connections that are no streams yet; a connection beyond it is closed at once. Unlimited by
   * default.
   */
  handshakesMax?: () => number;
  /** Pages of these exact origins may read refusals; none by default. */
  corsOrigins?: readonly string[];
  /** How lost peers are detected on the streams. */
  liveness: LivenessOptions;
  log: Logger;
}

/**
 * The socket server of the media plane. `UwsServer` and `WsServer` implement it; `test/contract/media-server/` runs
 * against both, and its `differences.ts` lists where they differ. Constructors throw `unavailable` when the certificate
 * cannot be used.
 */
export interface MediaServer {
  readonly streams: OpenStreams;
  /**
   * Connections that were accepted, or are being handed to this process, and that are no streams yet. They have 10 s to
   * become one.
   */
  readonly handshakes: number;
  /** Listens and returns the port, which differs from the requested one only for port 0. */
  listen(host: string, port: number): Promise<number>;
  /** Accepts no new connections; open ones stay. */
  stopListening(): void;
  /**
   * As `stopListening`, until it is called with false: meanwhile new connections go to other listeners on the port, and
   * where there are none the kernel refuses them. The port must have been given by number: only then can it be listened
   * on again while connections are on it.
   */
  pauseListening(isPaused: boolean): void;
  /**
   * Reads the certificate and its key from their files again; throws `unavailable` when they cannot be used. Calling
   * the returned function applies them to connections that are accepted from then on. Open connections keep their
   * certificate.
   */
  prepareCertificate(): () => void;
  /** Closes everything at once. */
  close(): void;
}
