/** The part of gifenc that the tests use; the package has no types. */
declare module 'gifenc' {
  export type Colour = [red: number, green: number, blue: number];

  interface Picture {
    readonly palette: readonly Colour[];
    /** Milliseconds. */
    readonly delay: number;
    readonly dispose: number;
    readonly transparent: boolean;
    readonly transparentIndex: number;
  }

  interface Encoder {
    writeFrame(indexes: Uint8Array, width: number, height: number, picture: Picture): void;
    finish(): void;
    bytes(): Uint8Array;
  }

  export function GIFEncoder(): Encoder;
  export function nearestColorIndex(palette: readonly Colour[], colour: Colour): number;
}
