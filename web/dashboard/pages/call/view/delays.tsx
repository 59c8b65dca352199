import { delayText } from "../../../app/format.ts";
import type { Call } from "../model/types.ts";
import "./details.css";

const STEPS = {
  endOfTurn: "End of turn",
  finalTranscript: "Final transcript",
  retrieval: "Passages",
  llmFirstToken: "LLM, first text",
  firstSegment: "First clause",
  ttsFirstByte: "TTS, first audio",
  firstFrame: "First frame sent",
  total: "In all",
} as const satisfies Readonly<Record<keyof NonNullable<Call["latency"]>, string>>;

/** How long the replies of the call took, by step; shown while nothing is chosen. */
export function Delays({ call: { latency } }: { call: Call }) {
  const steps = (Object.keys(STEPS) as (keyof typeof STEPS)[]).flatMap((step) => {
    const summary = latency?.[step];
    return summary === undefined ? [] : [{ title: STEPS[step], ...summary }];
  });
  return (
    <div class="call-details">
      <h3>Delays of the replies</h3>
      {steps.length === 0 ? (
        <p class="soft">
          {latency === null ? "The figures are there when the call has ended." : "No reply answered the caller."}
        </p>
      ) : (
        <table class="call-details-table">
          <caption>From the caller's last sound; choose a reply or a silence to see it alone</caption>
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col" class="number">
                Replies
              </th>
              <th scope="col" class="number">
                p50
              </th>
              <th scope="col" class="number">
                p95
              </th>
            </tr>
          </thead>
          <tbody>
            {steps.map(({ title, count, p50Ms, p95Ms }) => (
              <tr key={title}>
                <td>{title}</td>
                <td class="number">{count}</td>
                <td class="number">{delayText(p50Ms)}</td>
                <td class="number">{delayText(p95Ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
