import { App, us_socket_local_port } from "uWebSockets.js";
import { SOCKET_BACKPRESSURE_BYTES_MAX, SOCKET_IDLE_S, SOCKET_PAYLOAD_BYTES_MAX } from "../../src/core/limits.ts";
import { serve } from "../load/processes.ts";
import type { ServerQuestions } from "../load/questions.ts";
import { ServerProbe } from "../load/server-probe.ts";

// The floor: a bare uWebSockets.js server that sends every message back as it came. What it costs is what sockets cost.

const probe = new ServerProbe();
const port = await new Promise<number>((resolve) => {
  App()
    .ws("/*", {
      compression: 0,
      maxPayloadLength: SOCKET_PAYLOAD_BYTES_MAX,
      maxBackpressure: SOCKET_BACKPRESSURE_BYTES_MAX,
      idleTimeout: SOCKET_IDLE_S,
      message: (socket, message, isBinary) => void socket.send(message, isBinary),
    })
    .listen("127.0.0.1", 0, (listening) => resolve(listening === false ? 0 : us_socket_local_port(listening)));
});

serve<ServerQuestions>({
  begin({ calls }) {
    probe.begin();
    return { port, paths: Array.from({ length: calls }, () => "/stream/echo") };
  },
  sample: () => probe.sample(),
  finish: () => ({ loopDelayMs: probe.finish() }),
});
