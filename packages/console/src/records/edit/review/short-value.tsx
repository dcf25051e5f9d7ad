import { language } from '../../../i18n/language.js';
import { CellContent } from '../../grid/table/cell-content.js';
import { cellValue } from '../../values/cell-value.js';

/** The beginning of a value. `undefined` is an absent field. */
export function ShortValue({ value }: { readonly value: unknown }) {
  const record = { _id: '', ...(value !== undefined && { value }) };
  return <CellContent value={cellValue(record, 'value', 'flexible', language())} />;
}
