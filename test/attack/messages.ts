import type { Outcome, Size, Target } from "./attacks/attack.ts";

/** An attack by its place in the list. */
export interface AttackRequest {
  attack: number;
  target: Target;
  size: Size;
}

/** Sent when the attackers are ready, and answered when they may begin. */
export const READY = "ready";
export type AttackerMessage = typeof READY | { outcome: Outcome } | { error: string };
