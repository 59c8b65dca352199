import type { ComponentChildren } from "preact";
import { delayText, durationText, numberText, words } from "../../../app/format.ts";
import { Badge } from "../../../ui/badge.tsx";
import { CodeBlock, Foreign } from "../../../ui/figures.tsx";
import type { SentenceLanes } from "../model/lanes.ts";
import type { Reply, ToolRun } from "../model/replies.ts";
import type { PassageReference } from "../model/types.ts";
import { waterfallOf } from "../model/waterfall.ts";
import { WaterfallTable } from "./waterfall-table.tsx";
import "./details.css";

/** Everything that is known of one reply. */
export function ReplyDetails({ reply, lanes }: { reply: Reply; lanes: readonly SentenceLanes[] }) {
  const { turnId, callerTurn, tools } = reply;
  const waterfall = waterfallOf(reply);
  const passages = reply.agentTurn?.retrieval?.passages ?? reply.passages?.passages ?? [];
  return (
    <div class="call-details">
      <h3>Reply {turnId}</h3>
      {callerTurn !== undefined && (
        <p>
          <span class="soft">To </span>
          <Foreign text={callerTurn.text} />
        </p>
      )}
      <Outcome reply={reply} />
      {waterfall !== undefined && <WaterfallTable waterfall={waterfall} />}
      {lanes.length > 0 && <Sentences lanes={lanes} />}
      {tools.map((run) => (
        <ToolDetails key={run.id} run={run} />
      ))}
      {passages.length > 0 && <Passages reply={reply} passages={passages} />}
    </div>
  );
}

/** How the reply ended, in a sentence. */
function Outcome({ reply }: { reply: Reply }) {
  const { cancelled, agentTurn, segments, pauses, requests } = reply;
  const spoken = requests.length === 0 ? segments[0]?.reason : undefined;
  const parts: ComponentChildren[] = [];
  if (cancelled === undefined) {
    if (agentTurn !== undefined) parts.push(<Badge tone="good">heard to its end</Badge>);
  } else {
    const after = cancelled.speechMs > 0 ? ` The caller had been speaking for ${delayText(cancelled.speechMs)}.` : "";
    parts.push(
      <Badge tone="warn">
        cancelled at {durationText(cancelled.atMs)}: {words(cancelled.reason)}
      </Badge>,
      after,
    );
  }
  if (spoken !== undefined) parts.push(` Said by the service: ${words(spoken)}.`);
  for (const { startMs, resumed } of pauses)
    if (resumed !== undefined) parts.push(` Paused at ${durationText(startMs)}, resumed: ${words(resumed)}.`);
  return parts.length === 0 ? null : <p>{parts}</p>;
}

const HEARD = { all: "heard", part: "partly heard", none: "not heard" } as const;

function Sentences({ lanes }: { lanes: readonly SentenceLanes[] }) {
  return (
    <div class="call-details-scroll">
      <table class="call-details-table">
        <caption>Sentences: what was generated, sent and heard</caption>
        <thead>
          <tr>
            <th scope="col">Text</th>
            <th scope="col" class="number">
              Generated
            </th>
            <th scope="col" class="number">
              Sent
            </th>
            <th scope="col" class="number">
              Heard
            </th>
          </tr>
        </thead>
        <tbody>
          {lanes.map(({ segment, heardText, heardPart, generatedMs, sentMs, heardMs }) => (
            <tr key={segment.number}>
              <td>
                <SentenceText text={segment.text} chars={segment.chars} heard={heardText} />{" "}
                <span class={`call-details-${heardPart}`}>{HEARD[heardPart]}</span>
                {segment.reason !== undefined && <span class="soft"> {words(segment.reason)}</span>}
              </td>
              <td class="number">{delayText(generatedMs)}</td>
              <td class="number">{delayText(sentMs)}</td>
              <td class="number">{delayText(heardMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SentenceText({ text, chars, heard }: { text: string; chars: number; heard: string | undefined }) {
  if (text === "") return <span class="soft">{numberText(chars)} characters that are not stored</span>;
  if (heard === undefined || !text.startsWith(heard)) return <bdi>{text}</bdi>;
  return (
    <bdi>
      {heard}
      <span class="call-details-rest">{text.slice(heard.length)}</span>
    </bdi>
  );
}

/** One run of a tool: what it was given, and what it gave. */
export function ToolDetails({ run }: { run: ToolRun }) {
  const { name, argumentsJson, startMs, endMs, failed, result } = run;
  return (
    <div class="call-details-tool">
      <p>
        Tool <Foreign text={name} /> at {durationText(startMs)},{" "}
        {endMs === undefined ? "no result" : delayText(endMs - startMs)}{" "}
        {failed === true && <Badge tone="bad">failed</Badge>}
      </p>
      <CodeBlock label={`Request of ${name}`} text={argumentsJson} />
      {result !== undefined && <CodeBlock label={`Answer of ${name}`} text={readable(result)} />}
    </div>
  );
}

/** JSON in lines; any other text as it is. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text === "" ? "(not stored, or empty)" : text;
  }
}

function Passages({ reply, passages }: { reply: Reply; passages: readonly PassageReference[] }) {
  const tookMs = reply.agentTurn?.retrieval?.tookMs ?? reply.passages?.tookMs;
  return (
    <div class="call-details-scroll">
      <table class="call-details-table">
        <caption>Passages that the LLM was given{tookMs !== undefined && `, found in ${delayText(tookMs)}`}</caption>
        <thead>
          <tr>
            <th scope="col">Document</th>
            <th scope="col" class="number">
              Page
            </th>
            <th scope="col" class="number">
              Passage
            </th>
            <th scope="col" class="number">
              Score
            </th>
          </tr>
        </thead>
        <tbody>
          {passages.map(({ documentId, documentName, page, ordinal, score }) => (
            <tr key={`${documentId} ${ordinal}`}>
              <td>
                <bdi>{documentName ?? documentId}</bdi>
              </td>
              <td class="number">{page ?? "–"}</td>
              <td class="number">{ordinal === undefined ? "–" : ordinal + 1}</td>
              <td class="number">{score.toPrecision(3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
