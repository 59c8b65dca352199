import {
  SOCKET_BACKPRESSURE_BYTES_MAX,
  SOCKET_IDLE_S,
  SOCKET_PAYLOAD_BYTES_MAX,
} from "../../src/core/limits/streams/connections.ts";
import { chooseMediaServer } from "../../src/gateway/server/choice.ts";
import { loadUws } from "../../src/gateway/server/uws/module.ts";
import { currentRuntime } from "../../src/gateway/server/uws/packages.ts";
import { serve } from "../rig/child-process.ts";
import type { ServerQuestions } from "../rig/protocol.ts";
import { ServerProbe } from "../worker/server-probe.ts";

// The floor: a bare uWebSockets.js server that sends every message back as it came. What it costs is what sockets cost.

const choice = chooseMediaServer("uws", currentRuntime());
if (choice.mediaServer !== "uws") throw new Error("the bare echo is uWebSockets.js alone");
const uws = loadUws(choice.folder);
const probe = new ServerProbe();
const port = await new Promise<number>((resolve) => {
  uws
    .App()
    .ws("/*", {
      compression: 0,
      maxPayloadLength: SOCKET_PAYLOAD_BYTES_MAX,
      maxBackpressure: SOCKET_BACKPRESSURE_BYTES_MAX,
      idleTimeout: SOCKET_IDLE_S,
      message: (socket, message, isBinary) => void socket.send(new Uint8Array(message), isBinary),
    })
    .listen("127.0.0.1", 0, (listening) => resolve(listening === false ? 0 : uws.us_socket_local_port(listening)));
});

serve<ServerQuestions>({
  begin({ calls }) {
    probe.begin();
    return { port, paths: Array.from({ length: calls }, () => "/stream/echo") };
  },
  sample: () => probe.sample(),
  finish: () => ({ loopDelayMs: probe.finish() }),
});
