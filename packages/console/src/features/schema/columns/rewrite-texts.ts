import { type AnyCollection, type Collection, newIdempotencyKey, TcError } from '@typed-collections/client';
import { t } from '../../../i18n/language.js';
import { MOST_RECORDS } from '../../../records/edit/model/batch.js';
import type { ColumnType } from '../../../values/draft-columns.js';
import { ambiguousDates, type LocalStyle, serviceText, styleOf } from '../../../values/local-values.js';
import type { Offender } from '../refusal/offenders.js';

/** A column as it shall be. */
export interface WantedColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
}

/** Types that texts can be rewritten for. */
export const REWRITTEN_TYPES: readonly ColumnType[] = ['integer', 'double', 'boolean', 'date', 'datetime'];

/** More records are not read into the memory of a browser. */
const MOST_READ = 100_000;
/** As many as the service names in a refusal. */
const MOST_NAMED = 10;

interface StoredText {
  readonly _id: string;
  readonly etag: string;
  readonly text: string;
}

/**
 * Rewrites the texts of a field in the form from which the service converts them without loss: `1.234,50` as `1234.5`,
 * `24.06.2025` as `2025-06-24`, `yes` as `true`, an empty text as null. Throws, before anything is written, if one of them
 * cannot be read.
 */
export async function rewriteTexts(
  collection: Collection<AnyCollection>,
  { name, type, nullable }: WantedColumn,
): Promise<void> {
  const stored = await textsOf(collection, name);
  const style = styleOf(
    stored.map(({ text }) => text),
    ambiguousDates(),
  );
  const wanted = stored.map(({ text, ...record }) => {
    const blank = text.trim() === '' && nullable ? null : undefined;
    return { ...record, text, value: blank === null ? null : convertibleText(text, type, style) };
  });
  const unreadable = wanted.filter(({ value }) => value === undefined);
  if (unreadable.length > 0) {
    const details = unreadable.slice(0, MOST_NAMED).map(
      ({ _id, text }): Offender => ({
        _id,
        column: name,
        problem: t('schema.unreadable', { text: text.slice(0, 60) }),
      }),
    );
    const message = t('schema.notRewritten', { count: unreadable.length });
    throw new TcError(message, { code: 'InvalidArguments', status: 400, details });
  }
  const operations = wanted
    .filter(({ text, value }) => text !== value)
    .map(({ _id, etag, value }) => ({
      update: { _id, if_match: etag, update: { $set: { [name]: value } } },
    }));
  const correlationId = newIdempotencyKey();
  for (let from = 0; from < operations.length; from += MOST_RECORDS) {
    await collection.batch(operations.slice(from, from + MOST_RECORDS), { correlationId });
  }
}

/** The texts of a field. Values of other types are left to the service. */
async function textsOf(collection: Collection<AnyCollection>, name: string): Promise<readonly StoredText[]> {
  const texts: StoredText[] = [];
  const options = { fields: ['_id', name], withEtags: true };
  for await (const record of collection.find({ [name]: { $exists: true } }, options)) {
    const { _id, _etag: etag, [name]: text } = record as Record<string, unknown>;
    if (typeof text === 'string') texts.push({ _id: String(_id), etag: String(etag), text });
    if (texts.length > MOST_READ) throw new Error(t('schema.rewriteMany', { count: MOST_READ }));
  }
  return texts;
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const FORMS: Partial<Record<ColumnType, RegExp>> = {
  boolean: /^(true|false)$/,
  date: /^\d{4}-\d\d-\d\d$/,
  datetime: /^\d{4}-\d\d-\d\dT[\d:]{8}(\.\d{1,3})?Z$/,
};

/** The text from which the service makes a value of this type without loss. Undefined if there is none. */
export function convertibleText(text: string, type: ColumnType, style: LocalStyle): string | undefined {
  const read = serviceText(text, type, style).trim();
  if (type === 'integer' || type === 'double') {
    // Codes such as `04109` and numbers with more digits than a number has would lose some of them.
    const shortest = read.includes('.') ? read.replace(/\.?0+$/, '') : read;
    const isWhole = type === 'double' || Number.isSafeInteger(Number(read));
    return NUMBER.test(read) && String(Number(read)) === shortest && isWhole ? shortest : undefined;
  }
  if (FORMS[type]?.test(read) !== true) return undefined;
  if (type === 'boolean') return read;
  const instant = new Date(read);
  const isDate = !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(read.slice(0, 10));
  return isDate ? (type === 'date' ? read : instant.toISOString()) : undefined;
}
