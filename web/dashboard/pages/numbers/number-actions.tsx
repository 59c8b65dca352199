import { mayAct } from "../../app/roles.ts";
import { Menu, MenuButton, MenuChoice } from "../../ui/menu.tsx";
import type { PhoneNumber } from "./model/states.ts";
import type { NumberAct } from "./number-dialogs.tsx";

interface Props {
  number: PhoneNumber;
  /** Whether its carrier is an emulator, whose people call when asked. */
  isEmulated: boolean;
  onAct: (act: NumberAct) => void;
}

/** What can be done with a number, for those who may. */
export function NumberActions({ number, isEmulated, onAct }: Props) {
  if (!mayAct("editor")) return null;
  return (
    <Menu
      button={
        <MenuButton class="button button-quiet" label={`Actions of ${number.number}`}>
          …
        </MenuButton>
      }
    >
      <MenuChoice onChoose={() => onAct({ kind: "call", number })}>Call someone from it</MenuChoice>
      {isEmulated && number.attached && (
        <MenuChoice onChoose={() => onAct({ kind: "test", number })}>Have a person call it</MenuChoice>
      )}
      <MenuChoice onChoose={() => onAct({ kind: "edit", number })}>Change</MenuChoice>
      <MenuChoice onChoose={() => onAct({ kind: "attach", number })}>
        {number.attached ? "Attach again" : "Attach"}
      </MenuChoice>
      {number.inboundWebhookUrl !== null && (
        <MenuChoice onChoose={() => onAct({ kind: "secret", number })}>Make another webhook secret</MenuChoice>
      )}
      {number.attached ? (
        <MenuChoice isDangerous onChoose={() => onAct({ kind: "detach", number })}>
          Detach
        </MenuChoice>
      ) : (
        <MenuChoice isDangerous onChoose={() => onAct({ kind: "delete", number })}>
          Delete
        </MenuChoice>
      )}
    </Menu>
  );
}
