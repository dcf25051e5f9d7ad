import { isUtf8 } from 'node:buffer';
import { invalid } from '../kernel/errors.js';

export const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';

/** The fields of a form, all of them texts; one that is sent more than once is a list, as in a query string. */
export function parseForm(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes) || !isDecodable(text)) throw invalid('The body is not a form of percent-encoded UTF-8.');
  const sent = new URLSearchParams(text);
  const fields = [...new Set(sent.keys())].map((name): [string, unknown] => {
    const values = sent.getAll(name);
    return [name, values.length === 1 ? values[0] : values];
  });
  return Object.fromEntries(fields);
}

/** URLSearchParams would read what it cannot decode as other text than was sent. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
