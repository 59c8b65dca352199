import { describe } from "vitest";
import type { MediaServerName } from "../../../src/gateway/server/media-server.ts";
import { admissionContract } from "./admission.ts";
import { backpressureContract } from "./backpressure.ts";
import { crowdedContract } from "./crowded.ts";
import { failingContract } from "./failing.ts";
import { framesContract } from "./frames.ts";
import { httpContract } from "./http.ts";
import { livenessContract } from "./liveness.ts";
import { openingContract } from "./opening.ts";
import { pausingContract } from "./pausing.ts";
import { resumingContract } from "./resuming.ts";
import { tlsContract } from "./tls.ts";

/** What every media server does; where one legitimately differs stands in `differences.ts` alone. */
export function mediaServerContract(mediaServer: MediaServerName): void {
  describe("opens streams", () => openingContract(mediaServer));
  describe("releases admitted calls", () => failingContract(mediaServer));
  describe("admits by token", () => admissionContract(mediaServer));
  describe("tolerates hostile frames", () => framesContract(mediaServer));
  describe("tolerates hostile HTTP", () => httpContract(mediaServer));
  describe("bounds the output buffered for slow peers", () => backpressureContract(mediaServer));
  describe("bounds its handshakes", () => crowdedContract(mediaServer));
  describe("detects lost peers", () => livenessContract(mediaServer));
  describe("lets clients resume", () => resumingContract(mediaServer));
  describe("pauses and stops", () => pausingContract(mediaServer));
  describe("serves TLS", () => tlsContract(mediaServer));
}
