import { type StagedRow, stagedValue } from '../model/staged-edits.js';
import { nullIn, type Typed, type TypedColumn, textOf, typed } from '../model/typed-text.js';

/** What is in an editor at the moment. */
export interface Draft {
  readonly text: string;
  /** Null, or an absent field. Where the text is empty and this is false, the value is an empty text. */
  readonly isNull: boolean;
  /** A date of which a part is missing. Browsers do not tell what the other parts are. */
  readonly isHalf?: boolean;
}

export function draftOf(value: unknown, { type }: TypedColumn, locale: string): Draft {
  return { text: textOf(value, type, locale), isNull: value === null || value === undefined };
}

/** What the editor of a field begins with: the value that is not saved yet, also if it does not fit, else the stored one. */
export function startOf(
  row: StagedRow | undefined,
  field: string,
  stored: unknown,
  column: TypedColumn,
  locale: string,
): Draft {
  const misfit = row?.fields[field]?.misfit;
  if (misfit !== undefined) return { text: misfit.text, isNull: false };
  return draftOf(stagedValue(row, field, stored), column, locale);
}

/** The value of the draft, or why it is not one. */
export function enteredIn(draft: Draft, column: TypedColumn, locale: string, before: unknown): Typed {
  if (draft.isHalf === true)
    return { text: draft.text, problem: column.type === 'date' ? 'date' : 'datetime' };
  return draft.isNull ? nullIn(column) : typed(draft.text, column, locale, before);
}

export function isSameDraft(one: Draft, other: Draft): boolean {
  return (
    one.text === other.text &&
    one.isNull === other.isNull &&
    (one.isHalf ?? false) === (other.isHalf ?? false)
  );
}

/** The draft as it is when an editor closes: browsers do not announce a date of which nothing but a part was entered. */
export function finalDraft(draft: Draft, control: HTMLElement | null): Draft {
  const isHalf = control instanceof HTMLInputElement && control.validity.badInput;
  return isHalf ? HALF : draft;
}

/** A date of which a part is missing. */
export const HALF: Draft = { text: '', isNull: false, isHalf: true };
