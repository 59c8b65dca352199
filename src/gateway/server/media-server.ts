import type { Logger } from "../../core/log/logger.ts";
import type { Admission } from "../leg/leg.ts";
import type { CertificateFiles } from "./certificate.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { SignatureHeaders } from "./signatures.ts";

/** The libraries that can serve the media port. */
export const MEDIA_SERVERS = ["uws", "ws"] as const;
export type MediaServerName = (typeof MEDIA_SERVERS)[number];

export interface MediaServerOptions {
  /**
   * Redeems the token of `/stream/{token}`, for a request that came with these headers. Allocates nothing for tokens
   * that are not valid. Every admission is opened exactly once, also when the upgrade fails.
   */
  admit(token: string, headers: SignatureHeaders): Promise<Admission>;
  /** With these it speaks TLS 1.2 and 1.3, and nothing else. */
  tls?: CertificateFiles | undefined;
  /** How many connections there may be just now that are no streams yet; one more is closed as it comes. Unlimited by default. */
  handshakesMax?: () => number;
  /** Pages of these exact origins may read refusals; none by default. */
  corsOrigins?: readonly string[];
  log: Logger;
}

/**
 * The media plane's socket server. `UwsServer` and `WsServer` implement it; `test/contract/media-server/` runs against both,
 * and its `differences.ts` names where they differ. Constructors throw `unavailable` when the certificate cannot be used.
 */
export interface MediaServer {
  readonly streams: OpenStreams;
  /** Connections that were accepted, or are on their way to this process, and that are no streams yet. They have 10 s to become one. */
  readonly handshakes: number;
  /** Listens and returns the port, which is another one than asked for only for port 0. */
  listen(host: string, port: number): Promise<number>;
  /** Takes no new connections; those that are open stay. */
  stopListening(): void;
  /**
   * As `stopListening`, until told otherwise: meanwhile new connections go to others that listen on the port, and where there
   * are none the kernel refuses them. The port must have been given by number: only then can it be listened on again while
   * connections are on it.
   */
  pauseListening(isPaused: boolean): void;
  /**
   * Reads the certificate and its key from their files once more; throws `unavailable` when they cannot be used. Calling what
   * it returns applies them to connections that are accepted from then on. Open connections keep their certificate.
   */
  prepareCertificate(): () => void;
  /** Closes everything at once. */
  close(): void;
}
