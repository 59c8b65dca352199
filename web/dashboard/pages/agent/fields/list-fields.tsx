import type { CallSettings, Definition } from "../model/definition.ts";
import { OVERRIDE_NAMES, REDACTIONS, STORAGE_SETTINGS, settingLabel } from "../model/settings.ts";
import { CheckList } from "./check-list.tsx";
import { changeSetting, type Editing, problemAt } from "./editing.ts";
import { SettingFields } from "./setting-field.tsx";

/** What of a call is stored. */
export function StorageFields({ editing }: { editing: Editing }) {
  const { redact = [], transcriptEnabled = true } = editing.definition.callSettings;
  return (
    <>
      <SettingFields editing={editing} settings={STORAGE_SETTINGS} />
      <p class="group-label">Kept out of words and sound</p>
      <CheckList
        label="Kept out of words and sound"
        isDense
        items={REDACTIONS}
        chosen={redact}
        onChange={(chosen) =>
          changeSetting(
            editing,
            "redact",
            chosen.length === 0 ? undefined : (chosen as NonNullable<CallSettings["redact"]>),
          )
        }
      />
      {!transcriptEnabled && redact.length > 0 && (
        <p class="definition-warning">Where words are not stored nothing is kept out: choose one of the two.</p>
      )}
      <Problem text={problemAt(editing, "callSettings.redact")} />
    </>
  );
}

/** The names of the settings that a call may bring itself. */
export const OverrideFields = ({ editing }: { editing: Editing }) => (
  <>
    <CheckList
      label="Settings that a call may bring"
      isDense
      items={OVERRIDE_NAMES.map((value) => ({ value, label: settingLabel(value) }))}
      chosen={editing.definition.allowedOverrides}
      onChange={(chosen) => editing.change({ allowedOverrides: chosen as Definition["allowedOverrides"] })}
    />
    <Problem text={problemAt(editing, "allowedOverrides")} />
  </>
);

/** What the service says is wrong with a list. */
export const Problem = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : <p class="field-problem">{text}</p>;
