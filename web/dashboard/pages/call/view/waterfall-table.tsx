import { delayText } from "../../../app/format.ts";
import type { StepName, Waterfall } from "../model/waterfall.ts";

/** The names of the steps, and the colours of tokens.css of their bars. */
const STEPS: Readonly<Record<StepName, { title: string; colour: string }>> = {
  "end-of-turn": { title: "End of turn", colour: "caller" },
  stt: { title: "Final transcript", colour: "caller" },
  retrieval: { title: "Passages", colour: "warn" },
  llm: { title: "LLM", colour: "accent" },
  tool: { title: "Tool", colour: "warn" },
  "first-segment": { title: "First clause", colour: "accent" },
  tts: { title: "TTS, first audio", colour: "agent" },
  "first-frame": { title: "First frame sent", colour: "sent" },
  heard: { title: "Heard", colour: "heard" },
};

/** What happened between the caller's last sound and the first of the agent's, step by step. */
export function WaterfallTable({ waterfall }: { waterfall: Waterfall }) {
  const { steps, totalMs, isAfterSpeech } = waterfall;
  const share = (ms: number): string => `${(100 * Math.max(0, ms)) / Math.max(1, totalMs)}%`;
  return (
    <table class="call-waterfall">
      <caption>
        {isAfterSpeech ? "From the caller's last sound" : "From the beginning of the reply"}: {delayText(totalMs)}
      </caption>
      <thead class="hidden">
        <tr>
          <th scope="col">Step</th>
          <th scope="col">When</th>
          <th scope="col">Took</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        {steps.map(({ name, fromMs, toMs, note }, at) => {
          const { title, colour } = STEPS[name];
          return (
            <tr key={`${name} ${at}`}>
              <th scope="row">{title}</th>
              <td class="call-waterfall-bars">
                <span class="hidden">
                  from {delayText(fromMs)} to {delayText(toMs)}
                </span>
                <span
                  class="call-waterfall-bar"
                  style={{ left: share(fromMs), width: share(toMs - fromMs), background: `var(--${colour})` }}
                />
              </td>
              <td class="number">{delayText(toMs - fromMs)}</td>
              <td class="call-waterfall-note">{note !== undefined && <bdi>{note}</bdi>}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
