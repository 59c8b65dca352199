import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { announce } from "../../../src/gateway/webrtc/offer.ts";
import type { WebrtcPort } from "../../../src/gateway/webrtc/peer.ts";
import { type Exchange, WebrtcCaller } from "../../callers/webrtc-caller.ts";
import { ServedPeer } from "./served-peer.ts";

const HOST = "127.0.0.1";

/** A call in real time, with the transport and the wire of the service, and none of its agent. */
export interface HeardCall extends Pick<ServedPeer, "transport" | "wire" | "heard"> {
  readonly gapsMs: () => number;
  end(): void;
}

export interface LoopbackCall extends HeardCall {
  readonly caller: WebrtcCaller;
}

export interface HeardCallOptions {
  /** By which the caller reaches the port: another one where a proxy is between them. */
  callerPort?: number;
  /** Has the offer and the answer before the caller has the answer. */
  signalled?: (offer: string, answer: string) => void;
}

/** Connects a caller to the port. */
export async function loopbackCall(port: WebrtcPort, options: HeardCallOptions = {}): Promise<LoopbackCall> {
  const caller = new WebrtcCaller();
  const call = await heardCall(port, options, (exchange) => caller.connect(exchange));
  return {
    ...call,
    caller,
    end: () => {
      call.end();
      caller.close();
    },
  };
}

/** The same with any caller, which `connect` connects. */
export async function heardCall(
  port: WebrtcPort,
  { callerPort = port.port, signalled }: HeardCallOptions,
  connect: (exchange: Exchange) => Promise<void>,
): Promise<HeardCall> {
  const peers: ServedPeer[] = [];
  await connect((sdp) => {
    const peer = new ServedPeer(port, sdp);
    peers.push(peer);
    signalled?.(sdp, peer.answer);
    return announce(peer.answer, HOST, callerPort);
  });
  const [peer] = peers;
  if (peer === undefined) throw new Error("the caller has not offered anything");
  await peer.connected;
  const { transport, wire, heard } = peer;
  const ticker = setInterval(() => transport.tick(), FRAME_MS);
  return {
    transport,
    wire,
    heard,
    gapsMs: () => peer.gapsMs,
    end: () => {
      clearInterval(ticker);
      peer.close();
    },
  };
}
