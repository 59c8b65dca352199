import type { ComponentProps } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

type InputProps = Pick<
  ComponentProps<"input">,
  "id" | "class" | "placeholder" | "min" | "max" | "step" | "aria-label" | "aria-describedby" | "aria-invalid"
>;

interface NumberInputProps extends InputProps {
  value: number | undefined;
  /** Undefined for an empty field. */
  onNumber: (value: number | undefined) => void;
}

/** A field for a number. It is not written anew while a number such as `0.` is being typed. */
export function NumberInput({ value, onNumber, ...rest }: NumberInputProps) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const field = input.current;
    if (field !== null && !Object.is(field.valueAsNumber, value ?? Number.NaN)) field.value = String(value ?? "");
  }, [value]);
  return (
    <input
      {...rest}
      ref={input}
      type="number"
      onInput={({ currentTarget: { valueAsNumber } }) =>
        onNumber(Number.isNaN(valueAsNumber) ? undefined : valueAsNumber)
      }
    />
  );
}
