import { Field } from "../../../ui/field.tsx";
import { type ChoiceSetting, type NumberSetting, type Setting, usualText } from "../model/settings.ts";
import { changeSetting, type Editing, problemAt } from "./editing.ts";
import { NumberInput } from "./number-input.tsx";

/** Settings of the calls, side by side where there is room. */
export const SettingFields = ({ editing, settings }: { editing: Editing; settings: readonly Setting[] }) => (
  <div class="setting-fields">
    {settings.map((setting) =>
      setting.kind === "choice" ? (
        <ChoiceField key={setting.name} editing={editing} setting={setting} />
      ) : (
        <NumberField key={setting.name} editing={editing} setting={setting} />
      ),
    )}
  </div>
);

function ChoiceField({ editing, setting }: { editing: Editing; setting: ChoiceSetting }) {
  const { name, label, hint, choices } = setting;
  const value = editing.definition.callSettings[name];
  return (
    <Field label={label} hint={hint} problem={problemAt(editing, `callSettings.${name}`)}>
      {(control) => (
        <select
          {...control}
          value={value === undefined ? "" : String(value)}
          onChange={({ currentTarget }) => {
            const chosen = choices.find((choice) => String(choice.value) === currentTarget.value);
            changeSetting(editing, name, chosen?.value as never);
          }}
        >
          <option value="">{usualText(setting)}</option>
          {choices.map((choice) => (
            <option key={choice.label} value={String(choice.value)}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function NumberField({ editing, setting }: { editing: Editing; setting: NumberSetting }) {
  const { name, label, hint, min, max, step, usual } = setting;
  const value = editing.definition.callSettings[name] as number | undefined;
  return (
    <Field label={label} hint={hint} problem={problemAt(editing, `callSettings.${name}`)}>
      {(control) => (
        <NumberInput
          {...control}
          {...{ min, max, step }}
          placeholder={usual === undefined ? "No limit" : `Default: ${usual}`}
          value={value}
          onNumber={(number) => changeSetting(editing, name, number as never)}
        />
      )}
    </Field>
  );
}
