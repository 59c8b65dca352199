import type { ConnectionType } from "../calls/spec.ts";

/**
 * What the addresses of streams begin with, for example `wss://media.example.com`, without a slash at the end. `webrtc`
 * is absent where the service carries no WebRTC calls.
 */
export type MediaUrls = Readonly<{ media: string; webrtc?: string | undefined }>;

/** A worker that took any free port knows it only once it listens: the address, which ends with port 0, with that port. */
export const withListeningPort = (url: string, port: number): string => url.replace(/:0$/, `:${port}`);

/** What the address of a call's stream begins with. */
export const mediaUrlOf = ({ media, webrtc }: MediaUrls, connectionType: ConnectionType): string =>
  connectionType === "webrtc" ? (webrtc ?? media) : media;
