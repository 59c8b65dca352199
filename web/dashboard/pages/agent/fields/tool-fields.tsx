import { TOOLS, toolPage } from "../../../app/addresses.ts";
import { api } from "../../../app/api.ts";
import { useResource } from "../../../app/use-resource.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/failure.tsx";
import { Field } from "../../../ui/field.tsx";
import { Code, Foreign } from "../../../ui/figures.tsx";
import { firstOf } from "../load.ts";
import type { SelectedTool } from "../model/definition.ts";
import { BUILT_IN_NOTES, settingsOfTool, type ToolSetting, withBuiltIn, withToolSetting } from "../model/tools.ts";
import { type CheckItem, CheckList } from "./check-list.tsx";
import { changeSetting, type Editing, problemAt } from "./editing.ts";
import { JsonArea } from "./json-area.tsx";
import { Problem } from "./list-fields.tsx";
import { NumberInput } from "./number-input.tsx";

type ToolName = NonNullable<SelectedTool["toolName"]>;

/** The tools of the agent: built-in ones, saved ones of the account, and those that this agent alone has. */
export function ToolFields({ editing }: { editing: Editing }) {
  const tools = editing.definition.callSettings.selectedTools ?? [];
  const set = (next: SelectedTool[]): void =>
    changeSetting(editing, "selectedTools", next.length === 0 ? undefined : next);
  return (
    <>
      <p class="group-label">Built in</p>
      <BuiltIns tools={tools} onChange={set} />
      <p class="group-label">Saved tools</p>
      <SavedTools editing={editing} />
      <OwnTools editing={editing} tools={tools} onChange={set} />
      <Problem text={problemAt(editing, "callSettings.selectedTools")} />
      <ToolProblems editing={editing} tools={tools} />
    </>
  );
}

interface ToolsProps {
  tools: readonly SelectedTool[];
  onChange: (tools: SelectedTool[]) => void;
}

function BuiltIns({ tools, onChange }: ToolsProps) {
  const chosen = tools.flatMap(({ toolName }) => toolName ?? []);
  const items = (Object.keys(BUILT_IN_NOTES) as ToolName[]).map((toolName): CheckItem => {
    const settings = settingsOfTool(toolName);
    const overrides = tools.find((tool) => tool.toolName === toolName)?.parameterOverrides ?? {};
    return {
      ...{ value: toolName, label: <Code>{toolName}</Code>, note: BUILT_IN_NOTES[toolName] },
      ...(settings.length > 0 && {
        details: (
          <div class="setting-fields">
            {settings.map((setting) => (
              <ToolSettingField
                key={setting.name}
                setting={setting}
                value={overrides[setting.name]}
                onChange={(value) => onChange(withToolSetting(tools, toolName, setting.name, value))}
              />
            ))}
          </div>
        ),
      }),
    };
  });
  return (
    <CheckList
      label="Built-in tools"
      items={items}
      chosen={chosen}
      onChange={(next) => {
        const changed = items.find(({ value }) => chosen.includes(value as ToolName) !== next.includes(value));
        if (changed !== undefined) {
          onChange(withBuiltIn(tools, changed.value as ToolName, next.includes(changed.value)));
        }
      }}
    />
  );
}

interface ToolSettingFieldProps {
  setting: ToolSetting;
  value: unknown;
  onChange: (value: unknown) => void;
}

function ToolSettingField({ setting: { label, hint, kind, choices }, value, onChange }: ToolSettingFieldProps) {
  const options = kind === "yes-no" ? ["yes", "no"] : (choices ?? []);
  const shown = value === true ? "yes" : value === false ? "no" : String(value ?? "");
  return (
    <Field label={label} hint={hint}>
      {(control) =>
        kind === "number" ? (
          <NumberInput {...control} value={typeof value === "number" ? value : undefined} onNumber={onChange} />
        ) : kind === "text" ? (
          <input
            {...control}
            autocomplete="off"
            spellcheck={false}
            value={shown}
            onInput={({ currentTarget }) => onChange(currentTarget.value === "" ? undefined : currentTarget.value)}
          />
        ) : (
          <select
            {...control}
            value={shown}
            onChange={({ currentTarget: { value: chosen } }) =>
              onChange(chosen === "" ? undefined : kind === "yes-no" ? chosen === "yes" : chosen)
            }
          >
            <option value="">Default</option>
            {options.map((option) => (
              <option key={option} value={option}>
                {option}
              </option>
            ))}
          </select>
        )
      }
    </Field>
  );
}

function SavedTools({ editing }: { editing: Editing }) {
  const { definition, change } = editing;
  const tools = useResource("saved tools", (signal) => firstOf(api.list("/tools", { query: { limit: 100 }, signal })));
  if (tools.status === "loading") return <p class="soft">Loading the saved tools …</p>;
  if (tools.status === "failed") return <ErrorNote error={tools.error} />;
  const { items, isCut } = tools.value;
  const gone = definition.toolIds.filter((id) => !items.some((tool) => tool.id === id));
  if (items.length === 0 && gone.length === 0) {
    return (
      <p class="soft">
        The account has none yet. <a href={TOOLS}>Make one</a>, such as a request to your own server.
      </p>
    );
  }
  return (
    <>
      <CheckList
        label="Saved tools"
        items={[
          ...items.map(({ id, name, type, description }) => ({
            value: id,
            label: <Foreign text={name} />,
            note: (
              <>
                {type} · <a href={toolPage(id)}>open</a>
                {description !== null && (
                  <>
                    {" "}
                    · <Foreign text={description} />
                  </>
                )}
              </>
            ),
          })),
          ...gone.map((id) => ({
            value: id,
            label: <Code>{id}</Code>,
            note: isCut ? <a href={toolPage(id)}>open</a> : "deleted",
          })),
        ]}
        chosen={definition.toolIds}
        onChange={(toolIds) => change({ toolIds })}
      />
      <Problem text={problemAt(editing, "toolIds")} />
    </>
  );
}

/** Tools that are defined in the agent itself, as JSON; the API has them as `definition`. */
function OwnTools({ editing, tools, onChange }: ToolsProps & { editing: Editing }) {
  const own = tools.flatMap((tool, at) => (tool.toolName === undefined ? [{ tool, at }] : []));
  if (own.length === 0) return null;
  return (
    <>
      <p class="group-label">Of this agent alone</p>
      {own.map(({ tool, at }) => {
        const name = tool.definition?.name ?? tool.toolId ?? `tool ${at + 1}`;
        return (
          <details key={at} class="own-tool">
            <summary>
              <Code>{name}</Code> <span class="soft">{tool.definition?.type ?? "saved"}</span>
            </summary>
            <Field label={`Definition of ${name}`}>
              {(control) => (
                <JsonArea
                  control={control}
                  value={tool as Record<string, unknown>}
                  onChange={(next) => next !== undefined && onChange(tools.with(at, next as SelectedTool))}
                />
              )}
            </Field>
            {!editing.isReadOnly && (
              <Button kind="danger" onClick={() => onChange(tools.toSpliced(at, 1))}>
                Remove {name}
              </Button>
            )}
          </details>
        );
      })}
    </>
  );
}

/** What the service says is wrong with single tools: their names say which. */
function ToolProblems({ editing, tools }: { editing: Editing; tools: readonly SelectedTool[] }) {
  const fixed = tools.flatMap((tool, at) => {
    const path = `callSettings.selectedTools.${at}`;
    const names = settingsOfTool(tool.toolName ?? "hang_up").map(({ name }) => `.parameterOverrides.${name}`);
    return ["", ".toolId", ".parameterOverrides", ".parameterOverrides.corpusIds", ...names].flatMap((end) => {
      const text = problemAt(editing, path + end);
      return text === undefined ? [] : [`${tool.toolName ?? tool.definition?.name ?? tool.toolId}: ${text}`];
    });
  });
  const saved = editing.definition.toolIds.flatMap((id, at) => {
    const text = problemAt(editing, `toolIds.${at}`);
    return text === undefined ? [] : [`${id}: ${text}`];
  });
  return <Problem text={[...fixed, ...saved].join(" ") || undefined} />;
}
