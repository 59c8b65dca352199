import type { AddressInfo } from "node:net";
import alawmulaw from "alawmulaw";
import { type WebSocket, WebSocketServer } from "ws";
import { serve } from "../rig/child-process.ts";
import type { ServerQuestions } from "../rig/protocol.ts";
import { ServerProbe } from "../worker/server-probe.ts";

// What most gateways begin with: `ws`, JSON.parse, Buffer and a G.711 library. It decodes every frame to PCM, encodes the PCM
// again and sends it back, and does nothing else: no voice detection, no pacing, no call, no journal.

const probe = new ServerProbe();
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
server.on("connection", onConnection);
await new Promise((resolve) => server.once("listening", resolve));
const { port } = server.address() as AddressInfo;

interface CarrierMessage {
  event: string;
  start?: { streamSid: string };
  media?: { payload: string };
}

function onConnection(socket: WebSocket): void {
  let streamSid = "";
  socket.on("message", (data) => {
    const message = JSON.parse(String(data)) as CarrierMessage;
    if (message.start !== undefined) streamSid = message.start.streamSid;
    if (message.media === undefined) return;
    const samples = alawmulaw.mulaw.decode(Buffer.from(message.media.payload, "base64"));
    const payload = Buffer.from(alawmulaw.mulaw.encode(samples)).toString("base64");
    socket.send(JSON.stringify({ event: "media", streamSid, media: { payload } }));
  });
}

serve<ServerQuestions>({
  begin({ calls }) {
    probe.begin();
    return { port, paths: Array.from({ length: calls }, () => "/stream/typical") };
  },
  sample: () => probe.sample(),
  finish: () => ({ loopDelayMs: probe.finish() }),
});
