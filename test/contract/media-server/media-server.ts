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
import { tlsContract } from "./tls.ts";

/** What every media server does; where one legitimately differs stands in `differences.ts` alone. */
export function mediaServerContract(mediaServer: MediaServerName): void {
  describe("opens streams", () => openingContract(mediaServer));
  describe("gives back what it was admitted", () => failingContract(mediaServer));
  describe("admits by token", () => admissionContract(mediaServer));
  describe("bears hostile frames", () => framesContract(mediaServer));
  describe("bears hostile HTTP", () => httpContract(mediaServer));
  describe("bounds what waits for slow peers", () => backpressureContract(mediaServer));
  describe("bounds its handshakes", () => crowdedContract(mediaServer));
  describe("finds out who is gone", () => livenessContract(mediaServer));
  describe("pauses and stops", () => pausingContract(mediaServer));
  describe("serves TLS", () => tlsContract(mediaServer));
}
