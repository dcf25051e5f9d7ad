import { isUtf8 } from 'node:buffer';
import { invalid } from '../../../base/kernel/errors.js';
import { isJsonObject } from '../../../base/kernel/json.js';

export const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';

/** More than any OAuth endpoint accepts. */
const MAX_FIELDS = 100;

/** The fields of a form as text. A field that was sent several times is a list, as in a query string. */
export function parseForm(bytes: Buffer): Readonly<Record<string, string | string[]>> {
  const text = bytes.toString('utf8');
  // Counts the fields before parsing them.
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) {
    throw invalid(`A form has at most ${MAX_FIELDS} fields.`);
  }
  if (!isUtf8(bytes) || !isDecodable(text)) throw invalid('The body is not a form of percent-encoded UTF-8.');
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(fields);
}

/** URLSearchParams would replace bytes that it cannot decode, so the text would differ from what was sent. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The fields of a form that was sent as JSON. */
export function formOfJson(body: unknown): Readonly<Record<string, unknown>> {
  const isForm = isJsonObject(body) && Object.values(body).flat().every(isFieldValue);
  if (!isForm) throw invalid('The body must be a form, or a JSON object with texts.');
  return body;
}

function isFieldValue(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
