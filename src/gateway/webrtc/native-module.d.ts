/** The part of a native module that we use. It may not be installed, and the project must compile without it. */
declare module "node-datachannel" {
  export interface PeerConfiguration {
    iceServers: readonly string[];
    bindAddress?: string;
    enableIceUdpMux?: boolean;
    portRangeBegin?: number;
    portRangeEnd?: number;
  }
  /**
   * An exception that leaves a callback ends the process, here and below. Every method may throw, and does after `close`.
   */
  export interface PeerConnection {
    close(): void;
    /** Makes the answer to an offer, too. */
    setRemoteDescription(sdp: string, type: "offer" | "answer"): void;
    localDescription(): { readonly type: string; readonly sdp: string } | null;
    onStateChange(callback: (state: string) => void): void;
    onTrack(callback: (track: Track) => void): void;
    addTrack(media: Audio): Track;
  }
  /** Collecting it before `onClosed` was called corrupts the library's memory. */
  export interface Track {
    /** Sends one RTP or RTCP packet, which is copied. */
    sendMessageBinary(packet: Uint8Array): boolean;
    isOpen(): boolean;
    close(): void;
    onOpen(callback: () => void): void;
    onClosed(callback: () => void): void;
    onMessage(callback: (packet: Uint8Array) => void): void;
  }
  export interface Audio {
    addOpusCodec(payloadType: number, profile?: string): string;
  }
  /** Binds a UDP port, which peer connections of the same port share. */
  export interface IceUdpMuxListener {
    stop(): void;
  }
  export const PeerConnection: new (name: string, configuration: PeerConfiguration) => PeerConnection;
  export const Audio: new (mid: string, direction: "SendRecv") => Audio;
  /** Throws when the port is taken. */
  export const IceUdpMuxListener: new (port: number, address?: string) => IceUdpMuxListener;
  /** Throws without a function. */
  export function initLogger(level: "Fatal" | "Error", callback: (level: string, message: string) => void): void;
  /** Closes everything, and waits up to 10 s for it. Without it the process does not exit by itself. */
  export function cleanup(): void;
}
