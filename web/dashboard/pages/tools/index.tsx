import { useLocation } from "preact-iso";
import { TOOLS } from "../../app/addresses.ts";
import { mayAct } from "../../app/roles.ts";
import { TOOL_TYPES, type ToolType } from "../../app/tool-words.ts";
import { Menu, MenuButton, MenuChoice } from "../../ui/menu.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { BuiltInTools } from "./built-ins.tsx";
import { SavedTools } from "./saved.tsx";
import { Secrets } from "./secrets.tsx";

/** The tools that agents may use: those of the account, those of the service, and the secrets of their requests. */
export function Page() {
  const tabs = [
    { name: "saved", title: "Saved tools", content: () => <SavedTools /> },
    { name: "built-in", title: "Built-in tools", content: () => <BuiltInTools /> },
    // The service shows them to owners alone.
    ...(mayAct("owner") ? [{ name: "secrets", title: "Secrets", content: () => <Secrets /> }] : []),
  ];
  return (
    <Frame title="Tools" actions={mayAct("editor") && <NewTool />}>
      <Tabs label="Kinds of tools" tabs={tabs} />
    </Frame>
  );
}

function NewTool() {
  const { route } = useLocation();
  return (
    <Menu button={<MenuButton class="button button-primary">New tool</MenuButton>}>
      {(Object.keys(TOOL_TYPES) as ToolType[]).map((type) => (
        <MenuChoice key={type} onChoose={() => route(`${TOOLS}/new?type=${type}`)}>
          {TOOL_TYPES[type].title}
        </MenuChoice>
      ))}
    </Menu>
  );
}
