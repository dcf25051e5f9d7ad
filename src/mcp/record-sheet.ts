import type { JsonObject } from '../kernel/json.js';

/** What is left of a record that is larger than an answer may be. */
const SYSTEM_FIELDS = ['_id', 'created_at', 'updated_at'];

/** Records of a page, and those of them that were too large to be shown whole. */
export interface RecordSheet {
  readonly records: JsonObject[];
  readonly too_large?: string[];
}

/** Reads the JSON texts of records. One that is larger than `maxBytes` keeps its system fields only. */
export function recordSheet(texts: readonly string[], maxBytes: number): RecordSheet {
  const tooLarge: string[] = [];
  const records = texts.map(text => {
    const record: JsonObject = JSON.parse(text);
    if (Buffer.byteLength(text) <= maxBytes) return record;
    tooLarge.push(String(record._id));
    return Object.fromEntries(Object.entries(record).filter(([name]) => SYSTEM_FIELDS.includes(name)));
  });
  return { records, ...(tooLarge.length > 0 && { too_large: tooLarge }) };
}
