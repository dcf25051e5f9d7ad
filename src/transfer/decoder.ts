/** A record of a file, or why it is none. Rows are numbered from 1; the header of a CSV file is not counted. */
export type Sent =
  | { readonly row: number; readonly record: unknown }
  | { readonly row: number; readonly column: string | null; readonly problem: string };

/** Reads records from text that comes in pieces. */
export interface Decoder {
  /** The records that are whole with this piece. Throws what makes the file unreadable. */
  take(piece: string, isLast: boolean): Sent[];
}
