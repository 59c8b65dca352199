import { SESSION_BASE } from "../../../app/addresses.ts";
import { saveFile, saveFrom } from "../../../app/save-file.ts";
import { Menu, MenuButton, MenuChoice, MenuNote } from "../../../ui/menu.tsx";
import { jsonText, transcriptSrt, transcriptText } from "../model/transcript-files.ts";
import type { Call } from "../model/types.ts";
import type { CallData } from "./call-data.ts";

/** Where the recording of a call is. */
export const recordingUrl = (id: Call["id"]): string =>
  `${SESSION_BASE}/api/v1/calls/${encodeURIComponent(id)}/recording`;

/** Files of the call: its recording, its transcript in three forms, and its events. */
export function Downloads({ call, data }: { call: Call; data: CallData }) {
  const turns = data.turns.value;
  const events = data.events.value;
  const areEventsComplete = data.eventsState.value.status === "complete";
  return (
    <Menu button={<MenuButton>Download ▾</MenuButton>}>
      {call.recording !== null && (
        <MenuChoice onChoose={() => saveFrom(recordingUrl(call.id), `${call.id}.wav`)}>Recording, WAV</MenuChoice>
      )}
      {turns.length > 0 && (
        <>
          <MenuChoice onChoose={() => saveFile(`${call.id}.txt`, "text/plain", transcriptText(turns))}>
            Transcript, text
          </MenuChoice>
          <MenuChoice onChoose={() => saveFile(`${call.id}.srt`, "application/x-subrip", transcriptSrt(turns))}>
            Transcript, SRT
          </MenuChoice>
          <MenuChoice onChoose={() => saveFile(`${call.id}.json`, "application/json", jsonText(turns))}>
            Transcript, JSON
          </MenuChoice>
        </>
      )}
      {areEventsComplete && events.length > 0 ? (
        <MenuChoice onChoose={() => saveFile(`${call.id}-events.json`, "application/json", jsonText(events))}>
          Events, JSON
        </MenuChoice>
      ) : (
        <MenuNote>The events are not there.</MenuNote>
      )}
    </Menu>
  );
}
