import { useEffect, useState } from "preact/hooks";

/** Colours of tokens.css by their names. */
export type Colours = (name: string) => string;

/** The width of an element in pixels, as it is now; 0 before the first layout. */
export function useWidth(of: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = of.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** The context of a canvas of this size in CSS pixels. */
export function contextOf(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const scale = devicePixelRatio;
  const [deviceWidth, deviceHeight] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== deviceWidth) canvas.width = deviceWidth;
  if (canvas.height !== deviceHeight) canvas.height = deviceHeight;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser draws no canvas");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}

/** The colours of tokens.css, as they are at an element. */
export function coloursOf(element: HTMLElement): Colours {
  const style = getComputedStyle(element);
  const known = new Map<string, string>();
  return (name) => {
    const found = known.get(name) ?? style.getPropertyValue(`--${name}`).trim();
    known.set(name, found);
    return found;
  };
}
