import { SESSION_BASE } from "../../app/addresses.ts";
import { saveFrom } from "../../app/save-file.ts";
import { transcriptionName } from "../../app/transcription-words.ts";
import { Menu, MenuButton, MenuChoice } from "../../ui/menu.tsx";
import { audioUrl } from "./audio.ts";
import type { Transcription } from "./index.tsx";

const FORMATS = [
  { format: "text", end: "txt", title: "Text" },
  { format: "srt", end: "srt", title: "Subtitles, SRT" },
  { format: "vtt", end: "vtt", title: "Subtitles, WebVTT" },
  { format: "json", end: "json", title: "Everything, JSON" },
] as const;

/** The result as files of all formats, and the audio where it is kept. */
export function Downloads({ of }: { of: Transcription }) {
  const name = transcriptionName(of).replace(/\.[^.]{1,5}$/, "");
  return (
    <Menu button={<MenuButton>Download ▾</MenuButton>}>
      {FORMATS.map(({ format, end, title }) => (
        <MenuChoice key={format} onChoose={() => saveFrom(resultUrl(of.id, format), `${name}.${end}`)}>
          {title}
        </MenuChoice>
      ))}
      {of.hasAudio && (
        <MenuChoice onChoose={() => saveFrom(audioUrl(of.id), transcriptionName(of))}>The audio as it came</MenuChoice>
      )}
    </Menu>
  );
}

const resultUrl = (id: string, format: string): string =>
  `${SESSION_BASE}/api/v1/transcriptions/${encodeURIComponent(id)}?format=${format}`;
