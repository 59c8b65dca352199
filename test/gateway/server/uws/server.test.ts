import { describe } from "vitest";
import { mediaServerContract } from "../../../contract/media-server/media-server.ts";
import { MEDIA_SERVERS_HERE } from "../../../support/services/media-servers.ts";

describe.skipIf(!MEDIA_SERVERS_HERE.includes("uws"))(
  "the media server on uWebSockets.js (only where there is a binary of it)",
  () => mediaServerContract("uws"),
);
