export const MUTANTS: readonly { guard: string; seen: string }[] = [];
export async function simulateMutant(_m: unknown, _n: number): Promise<{ seed: number; isSeen: boolean }> {
  return { seed: 0, isSeen: false };
}
