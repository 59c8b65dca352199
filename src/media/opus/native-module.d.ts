/** The part of a native module that we use. It may not be installed, and the project must compile without it. */
declare module "@discordjs/opus" {
  /**
   * An encoder and a decoder of one rate and number of channels. Each is made at its first use, which throws when that
   * fails.
   */
  export interface NativeOpus {
    /** Ends the process unless `pcm` is exactly 2.5, 5, 10, 20, 40 or 60 ms of signed 16-bit samples. */
    encode(pcm: Uint8Array): Uint8Array;
    /**
     * Signed 16-bit samples in fresh memory. An empty packet gives 5,760 concealed samples. Throws for a corrupted
     * packet.
     */
    decode(packet: Uint8Array): Uint8Array;
    /**
     * Control numbers of Opus (`opus_defines.h`). Controls that read a value write it to an invalid address: never use
     * them.
     */
    applyEncoderCTL(control: number, value: number): void;
    applyDecoderCTL(control: number, value: number): void;
  }
  export interface OpusPackage {
    readonly OpusEncoder: new (rateHz: number, channels: number) => NativeOpus;
  }
  const opus: OpusPackage;
  // biome-ignore lint/style/noDefaultExport: the package has no other export.
  export default opus;
}
