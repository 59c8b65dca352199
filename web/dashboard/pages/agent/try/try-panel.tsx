import { useRef, useState } from "preact/hooks";
import { callPage } from "../../../app/addresses.ts";
import { api } from "../../../app/api.ts";
import { words } from "../../../app/format.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/failure.tsx";
import { Field } from "../../../ui/field.tsx";
import { Code } from "../../../ui/figures.tsx";
import type { Definition, Variable } from "../model/definition.ts";
import { clientToolsOf, LINE_TOOL, trialCallOf } from "../model/trial.ts";
import { readValues, type WrittenValues } from "../model/values.ts";
import { connected } from "./session.ts";
import { Transcript } from "./transcript.tsx";
import { type Trial, useTrial } from "./use-trial.ts";
import "./try-panel.css";

/** The version that has exactly what is shown; undefined where there is none. */
interface TryPanelProps {
  definition: Definition;
  saved?: { agentId: string; version: number } | undefined;
}

const STATE_TEXTS: Readonly<Record<Trial["state"], string>> = {
  idle: "",
  connecting: "Connecting …",
  listening: "Listening",
  thinking: "Thinking",
  speaking: "Speaking",
  held: "On hold",
  reconnecting: "The connection was lost. Trying again …",
  ended: "",
};

/** As the service takes it. */
const TEXT_CHARS_MAX = 16_384;

/** A call with the agent as it stands in the editor, saved or not. */
export function TryPanel({ definition, saved }: TryPanelProps) {
  const [written, setWritten] = useState<WrittenValues>({});
  const [isAsked, setAsked] = useState(false);
  const meters = useRef<HTMLDivElement>(null);
  const trial = useTrial((input, output) => showLevels(meters.current, input, output));
  const { values, problems } = readValues(definition.variables, written);
  const isLive = trial.state !== "idle" && trial.state !== "ended";
  const hasLineTool = definition.callSettings.selectedTools?.some(({ toolName }) => toolName === LINE_TOOL) ?? false;

  const start = (microphone: boolean): void => {
    setAsked(true);
    if (Object.keys(problems).length > 0) return;
    // A saved version is called as it is, so that the record names it.
    const version = hasLineTool ? undefined : saved;
    trial.start({
      microphone,
      clientTools: clientToolsOf(definition),
      create: () =>
        connected((connection) =>
          version === undefined
            ? api.post("/calls", {
                body: { ...trialCallOf(definition, values), ...connection, metadata: { dashboard: "trial" } },
              })
            : api.post("/agents/{id}/calls", {
                path: { id: version.agentId },
                body: {
                  ...connection,
                  version: version.version,
                  variables: values,
                  metadata: { dashboard: "trial" },
                },
              }),
        ),
    });
  };
  return (
    <aside class="try" aria-label="Try the agent">
      <h2>Try it</h2>
      <p class="soft">
        {saved === undefined ? "Your changes in the editor, which are not saved yet." : `Version ${saved.version}.`}
        {hasLineTool && (
          <>
            {" "}
            Without <Code>{LINE_TOOL}</Code>, which needs a telephone line.
          </>
        )}
      </p>
      {!isLive && (
        <Values
          variables={definition.variables}
          written={written}
          problems={isAsked ? problems : {}}
          onChange={setWritten}
        />
      )}
      <div class="page-actions">
        {isLive ? (
          <LiveActions trial={trial} />
        ) : (
          <>
            <Button kind="primary" onClick={() => start(true)}>
              Start talking
            </Button>
            <Button onClick={() => start(false)}>Write instead</Button>
          </>
        )}
      </div>
      <p class="try-state" role="status">
        {STATE_TEXTS[trial.state]}
      </p>
      <div ref={meters} class="try-meters" data-shown={isLive} aria-hidden="true">
        {trial.hasMicrophone && <Meter label="You" side="input" />}
        <Meter label="Agent" side="output" />
      </div>
      {trial.needsGesture && (
        <p>
          The browser has stopped the sound. <Button onClick={trial.resumeAudio}>Go on</Button>
        </p>
      )}
      <ErrorNote error={trial.error} />
      <Transcript turns={trial.turns} />
      {trial.toolRequests.map((request, at) => (
        <p key={at} class="try-tool">
          The agent has asked this page for <Code>{request}</Code>. It cannot carry out tools.
        </p>
      ))}
      {isLive && <WriteForm onSend={trial.sendText} isFocused={!trial.hasMicrophone} />}
      {trial.state === "ended" && <Ended trial={trial} />}
    </aside>
  );
}

interface ValuesProps {
  variables: readonly Variable[];
  written: WrittenValues;
  problems: Readonly<Record<string, string>>;
  onChange: (written: WrittenValues) => void;
}

/** The values of the variables for this call. */
const Values = ({ variables, written, problems, onChange }: ValuesProps) => (
  <>
    {variables
      .filter(({ name }) => name !== "")
      .map(({ name, type, default: usual, description }) => (
        <Field
          key={name}
          label={name}
          hint={description}
          problem={problems[name] === undefined ? undefined : `It ${problems[name]}.`}
        >
          {(control) => (
            <input
              {...control}
              dir="auto"
              autocomplete="off"
              value={written[name] ?? ""}
              placeholder={usual === undefined ? (type === "boolean" ? "true or false" : "") : String(usual)}
              onInput={({ currentTarget: { value } }) => onChange({ ...written, [name]: value })}
            />
          )}
        </Field>
      ))}
  </>
);

const LiveActions = ({ trial }: { trial: Trial }) => (
  <>
    {trial.hasMicrophone && (
      <Button aria-pressed={trial.isMuted} onClick={() => trial.setMuted(!trial.isMuted)}>
        {trial.isMuted ? "Unmute" : "Mute"}
      </Button>
    )}
    <Button kind="danger" onClick={trial.stop}>
      End
    </Button>
  </>
);

const Meter = ({ label, side }: { label: string; side: "input" | "output" }) => (
  <span class="try-meter">
    <span>{label}</span>
    <span class="try-track">
      <span class="try-level" data-side={side} />
    </span>
  </span>
);

/** Not by drawing the panel again, 20 times a second. */
function showLevels(meters: HTMLElement | null, input: number, output: number): void {
  for (const bar of meters?.querySelectorAll<HTMLElement>(".try-level") ?? []) {
    bar.style.transform = `scaleX(${(bar.dataset.side === "input" ? input : output).toFixed(3)})`;
  }
}

function WriteForm({ onSend, isFocused }: { onSend: (text: string) => void; isFocused: boolean }) {
  const [text, setText] = useState("");
  return (
    <form
      class="try-write"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === "") return;
        onSend(text.trim());
        setText("");
      }}
    >
      <input
        class="control"
        aria-label="Write to the agent"
        placeholder="Write to the agent"
        dir="auto"
        autocomplete="off"
        maxLength={TEXT_CHARS_MAX}
        ref={(field) => {
          if (isFocused && field !== null && !field.dataset.met) {
            field.dataset.met = "true";
            field.focus();
          }
        }}
        value={text}
        onInput={({ currentTarget: { value } }) => setText(value)}
      />
      <Button type="submit">Send</Button>
    </form>
  );
}

const Ended = ({ trial: { callId, endReason } }: { trial: Trial }) => (
  <p role="status">
    The call is over: {words(endReason ?? "unknown")}.{" "}
    {callId !== undefined && <a href={callPage(callId)}>Open its record</a>}
  </p>
);
