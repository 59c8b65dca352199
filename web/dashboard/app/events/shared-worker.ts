/// <reference lib="webworker" />
import { SharedConnection, type StreamRequest } from "./shared-connection.ts";

// One for all tabs of a browser: it has the connection, and every tab a port to it.
const scope = self as unknown as SharedWorkerGlobalScope;
const connection = new SharedConnection();

scope.addEventListener("connect", ({ ports: [port] }) => {
  if (port === undefined) return;
  // A tab says the address when it comes, and goodbye when it goes: a port does not know that its other end is gone.
  port.onmessage = ({ data }: MessageEvent<StreamRequest | "goodbye">) => {
    if (data === "goodbye") connection.leave(port);
    else connection.join(port, data);
  };
});
