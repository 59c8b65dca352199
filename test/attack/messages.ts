import type { Outcome, Size, Target } from "./attacks/attack.ts";

/** An attack by its place in the list. */
export interface AttackRequest {
  attack: number;
  target: Target;
  size: Size;
}

/** Told once the attackers are in their places, and answered with anything when they may begin. */
export const READY = "ready";
export type AttackerMessage = typeof READY | { outcome: Outcome } | { error: string };
