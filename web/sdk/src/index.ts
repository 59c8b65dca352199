// biome-ignore-all lint/performance/noBarrelFile: the one entry of the package.
export { TrunklineCall } from "./call.ts";
export { type CallErrorCode, ERROR_SENTENCES, TrunklineCallError } from "./errors.ts";
export type {
  AudioPath,
  CallEvents,
  CallOptions,
  CallSource,
  CallState,
  Device,
  Devices,
  EndedDetail,
  ErrorDetail,
  MarkDetail,
  PublishableSession,
  ReadyDetail,
  StateDetail,
  ToolHandler,
  TranscriptDetail,
  TurnLatency,
  VolumeDetail,
} from "./types.ts";
