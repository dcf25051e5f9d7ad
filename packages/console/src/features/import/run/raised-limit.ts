const STEP = 1_000;

/** A limit that has room for the rest of the file, as far as the part that was read tells, in whole thousands. */
export function raisedLimit(
  max: number,
  { bytes, rows }: { readonly bytes: number; readonly rows: number },
  totalBytes: number,
  highest: number,
): number {
  const all = bytes > 0 ? Math.ceil((rows * totalBytes) / bytes) : max;
  return Math.min(highest, Math.ceil((max + all) / STEP) * STEP);
}
