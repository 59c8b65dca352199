import { createHash, timingSafeEqual } from "node:crypto";

/** Compares in constant time. */
export const isSameText = (given: string, secret: string): boolean => timingSafeEqual(sha256(given), sha256(secret));

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
