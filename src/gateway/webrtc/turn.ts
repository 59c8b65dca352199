import { createHmac } from "node:crypto";

/** One entry of `iceServers` of a browser's peer connection. */
export interface IceServer {
  urls: readonly string[];
  username: string;
  credential: string;
}

export interface TurnOptions {
  /** Of one TURN server, `turn:` or `turns:`: TURN_URLS. */
  urls: readonly string[];
  /** The secret that the service shares with the server: TURN_SECRET, `static-auth-secret` of coturn. */
  secret: string;
  /** Names the user in the server's log: the id of the call. */
  userId: string;
  /** How long new allocations are allowed, s. */
  ttlS: number;
  /** The time, s since the Unix epoch. */
  nowS: number;
}

/**
 * Credentials of a TURN server for one client, by the scheme that TURN servers call "REST API" or "shared secret"
 * (draft-uberti-behave-turn-rest-00, section 2.2): the user name says when they expire, and the password is its
 * HMAC-SHA1. Pure. Empty without `urls`.
 */
export function turnServers({ urls, secret, userId, ttlS, nowS }: TurnOptions): IceServer[] {
  if (urls.length === 0) return [];
  const username = `${Math.floor(nowS) + ttlS}:${userId}`;
  return [{ urls, username, credential: createHmac("sha1", secret).update(username).digest("base64") }];
}
