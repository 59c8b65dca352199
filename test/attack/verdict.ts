import type { AttackResult, PlannedAttack, StageResult } from "./stage-result.ts";

// What is judged of an attack, and by which bounds.

/** What a bad client may cost: 256 KiB above base each. */
const ATTACKER_BYTES_MAX = 256 * 1024;
/** What a good stream that is opened meanwhile leaves until the next collection. */
const GOOD_STREAM_BYTES = 48 * 1024;
/** The heap, and what the allocator keeps, beside what belongs to attackers. */
const SLACK_BYTES = 16 * 1024 * 1024;
const UPGRADE_MS_MAX = 500;
/** The answer of a worker that is overloaded. */
const OVERLOADED = "503";
const LOOP_P99_MS_MAX = 20;
const LOOP_MAX_MS_MAX = 100;
/** Answers may take as long as the loop may be late, and as much more than in the quiet as turns may. */
const ANSWER_RATIO_MAX = 1.2;

/** Adds to `result` what was wrong with it, and what was only late. */
export function judge(result: StageResult, planned: readonly PlannedAttack[], judgesSpeed: boolean): void {
  const { problems, late, attacks, control, quiet, during, upgrades, upgradesFailed, refusedByStore, loopDelay } =
    result;
  for (const [index, { id, name, attackers: count, closed, longestMs, endReasons }] of attacks.entries()) {
    const { endReason, closedMsMax, spendMax } = (planned[index] as PlannedAttack).attack;
    const { llmRequests, inputTokens } = attacks[index] as AttackResult;
    if (spendMax !== undefined && (llmRequests > spendMax.llmRequests || inputTokens > spendMax.inputTokens)) {
      problems.push(`${id}, ${name}: ${llmRequests} LLM requests and ${inputTokens} input tokens each`);
    }
    if (closed < count) problems.push(`${id}, ${name}: ${count - closed} of ${count} were not closed`);
    const rightReasons = endReason === undefined ? [] : [endReason].flat();
    if (endReason !== undefined && Object.keys(endReasons).some((reason) => !rightReasons.includes(reason))) {
      problems.push(`${id}, ${name}: their calls ended with ${JSON.stringify(endReasons)}`);
    }
    if (longestMs > closedMsMax) late.push(`${id}, ${name}: tolerated for ${Math.round(longestMs)} ms`);
  }
  const attackers = attacks.reduce((sum, { attackers: count }) => sum + count, 0);
  if (control.lostIn > 0 || control.lostOut > 0) {
    problems.push(`control calls lost ${control.lostIn} frames in, ${control.lostOut} out`);
  }
  if (control.broken > 0) problems.push(`${control.broken} control calls broke`);
  const callBytes = planned.reduce((sum, { attack, size }) => sum + (attack.callBytes ?? 0) * size.attackers, 0);
  const goodBytes = upgrades.count * GOOD_STREAM_BYTES;
  if (result.workerGrowthBytes > attackers * ATTACKER_BYTES_MAX + callBytes + goodBytes + SLACK_BYTES) {
    problems.push(`the worker grew by ${Math.round(result.perAttackerBytes / 1_024)} KiB for each attacker`);
  }
  for (const [answer, count] of Object.entries(upgradesFailed)) {
    // A worker that is short of processor time takes no more streams, and says so: on a slow machine that is right.
    const isOverload = answer === OVERLOADED && !judgesSpeed;
    (isOverload ? late : problems).push(`${count} good streams were not taken: ${answer}`);
  }
  if (refusedByStore > 0 && planned.every(({ attack }) => attack.inventsTokens)) {
    problems.push(`${refusedByStore} invented tokens reached the store`);
  }
  const upgradeMsMax = Math.min(...planned.map(({ attack }) => attack.upgradeMsMax ?? Number.POSITIVE_INFINITY));
  const slow = `good streams took ${upgrades.p99.toFixed(1)} ms at p99`;
  const isJudged = judgesSpeed && upgradeMsMax < Number.POSITIVE_INFINITY;
  // None that was taken is no good answer either.
  if (isJudged && !(upgrades.p99 <= upgradeMsMax)) problems.push(`${slow}, more than ${upgradeMsMax} ms`);
  else if (upgrades.p99 > Math.min(upgradeMsMax, UPGRADE_MS_MAX)) late.push(slow);
  if (during.p99 > Math.max(LOOP_P99_MS_MAX, ANSWER_RATIO_MAX * quiet.p99)) {
    late.push(`control calls were answered in ${during.p99.toFixed(1)} ms at p99, before in ${quiet.p99.toFixed(1)}`);
  }
  if (loopDelay.p99 > LOOP_P99_MS_MAX || loopDelay.max > LOOP_MAX_MS_MAX) {
    late.push(`the loop was late by ${loopDelay.p99.toFixed(1)} ms at p99, ${loopDelay.max.toFixed(1)} at most`);
  }
}
