import { isObject } from "../../json.ts";

/** The result of a tool of the protocol, as text for the LLM. What cannot be read aloud is named. */
export function resultText({
  content,
  structuredContent,
}: {
  content: readonly unknown[];
  structuredContent?: unknown;
}): string {
  const texts = content.filter(isObject).map(blockText);
  const text = texts
    .filter((part) => part !== "")
    .join("\n")
    .trim();
  if (text !== "") return text;
  return isObject(structuredContent) ? JSON.stringify(structuredContent) : "Done.";
}

function blockText({ type, text, resource, uri, name }: Record<string, unknown>): string {
  switch (type) {
    case "text":
      return typeof text === "string" ? text : "";
    case "resource":
      return isObject(resource) && typeof resource.text === "string" ? resource.text : "[a file]";
    case "resource_link":
      return `[a file: ${typeof name === "string" ? name : uri}]`;
    case "image":
      return "[an image]";
    case "audio":
      return "[audio]";
    default:
      return "";
  }
}
