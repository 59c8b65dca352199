import WebSocket from "ws";
import { unavailable } from "../../core/errors.ts";
import type { CarrierOptions, SimulatedCarrier } from "./carrier.ts";

/** A simulated stream on a real socket. */
export interface CarrierConnection<Carrier extends SimulatedCarrier> {
  carrier: Carrier;
  /**
   * Settles when the socket is closed, by whichever side, with the close code that was seen (1006: without one). Never
   * rejects.
   */
  closed: Promise<{ code: number; reason: string }>;
}

/** The telephone's side of a carrier. */
export type Telephone = Omit<CarrierOptions, "send" | "close">;

/**
 * Dials a media stream's URL as a carrier does and starts the stream. `create` makes the carrier; it is called once.
 * Rejects with `unavailable` when the upgrade is not answered with 101; the message carries the status but never the
 * URL, which holds a token.
 */
export function connectCarrier<Carrier extends SimulatedCarrier>(
  url: string,
  create: (options: CarrierOptions) => Carrier,
  telephone: Telephone,
): Promise<CarrierConnection<Carrier>> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const carrier = create({
    ...telephone,
    send: (message) => socket.send(message),
    close: () => socket.close(1000),
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on("close", (code, reason) => {
      carrier.closed();
      resolve({ code, reason: reason.toString() });
    });
  });
  socket.on("message", (data: Buffer, isBinary) => carrier.receive(isBinary ? data : data.toString()));
  return new Promise((resolve, reject) => {
    const refuse = (what: string, cause?: unknown): void =>
      reject(unavailable(`the media stream was refused: ${what}`, cause));
    socket.on("unexpected-response", (request, response) => {
      refuse(`status ${response.statusCode}`);
      request.destroy();
    });
    // After the upgrade this error is followed by `close`, which tells the rest.
    socket.on("error", (error) => refuse("no connection", error));
    socket.on("open", () => {
      carrier.start();
      resolve({ carrier, closed });
    });
  });
}
