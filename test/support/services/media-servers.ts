import { chooseMediaServer } from "../../../src/gateway/server/choice.ts";
import {
  MEDIA_SERVERS,
  type MediaServer,
  type MediaServerName,
  type MediaServerOptions,
} from "../../../src/gateway/server/media-server.ts";
import { loadUws, type UwsModule } from "../../../src/gateway/server/uws/module.ts";
import { currentRuntime } from "../../../src/gateway/server/uws/packages.ts";
import { UwsServer } from "../../../src/gateway/server/uws/server.ts";
import { WsServer, type WsServerOptions } from "../../../src/gateway/server/ws/server.ts";
import { DEFAULT_LIVENESS } from "../configuration/liveness.ts";

const runtime = currentRuntime();
const best = chooseMediaServer("auto", runtime);

/** The media servers that this machine has: ws always, and uWebSockets.js where there is a binary of it. */
export const MEDIA_SERVERS_HERE: readonly MediaServerName[] = best.mediaServer === "uws" ? MEDIA_SERVERS : ["ws"];

/** What tests that are not about the media server run on: `MEDIA_SERVER`, or the best that this machine has. */
export const DEFAULT_MEDIA_SERVER: MediaServerName =
  MEDIA_SERVERS.find((name) => name === process.env.MEDIA_SERVER) ?? best.mediaServer;

/** The library of this machine. Throws where there is none. */
export function uwsHere(): UwsModule {
  const choice = chooseMediaServer("uws", runtime);
  if (choice.mediaServer !== "uws") throw new Error("unreachable: it was asked for by name");
  return loadUws(choice.folder);
}

/** What one of the media servers is made of besides: the library in the place of this machine's for uws, the rest for ws alone. */
export type MediaServerParts = { uws?: UwsModule } & Pick<WsServerOptions, "clock" | "connections">;

/** A media server by name. */
export function createMediaServer(
  name: MediaServerName,
  given: Omit<MediaServerOptions, "headerNames" | "liveness"> & Partial<MediaServerOptions>,
  { uws, ...more }: MediaServerParts = {},
): MediaServer {
  const options = { headerNames: [], liveness: DEFAULT_LIVENESS, ...given };
  return name === "uws" ? new UwsServer({ ...options, uws: uws ?? uwsHere() }) : new WsServer({ ...options, ...more });
}
