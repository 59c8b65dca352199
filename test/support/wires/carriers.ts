import { readdirSync } from "node:fs";
import { scanMedia } from "../../../src/carriers/media-scanner.ts";
import { inboundAudio } from "../audio/inbound-audio.ts";
import type { CarrierUnderTest } from "./wire-under-test.ts";

/** The module `subject.ts` in the folder of a carrier's tests. */
interface SubjectModule {
  /** The carrier, in each codec that it can bring. */
  subjects(): CarrierUnderTest[];
}

const folders = readdirSync(new URL("../../carriers", import.meta.url), { withFileTypes: true });
const modules: readonly SubjectModule[] = await Promise.all(
  folders.filter((entry) => entry.isDirectory()).map(({ name }) => import(`../../carriers/${name}/subject.ts`)),
);

/** All carriers, in each codec that they can bring. */
export const carriersUnderTest = (): CarrierUnderTest[] => modules.flatMap(({ subjects }) => subjects());

const scanned = inboundAudio();

/** Whether the fixture's stream takes the short cut for a message. */
export const isShort = ({ layouts, inbound }: CarrierUnderTest, message: Uint8Array): boolean =>
  scanMedia(message, layouts, inbound, scanned);
