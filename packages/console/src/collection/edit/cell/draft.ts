import { nullIn, type Typed, type TypedColumn, textOf, typed } from '../model/typed-text.js';

/** What is in an editor at the moment. */
export interface Draft {
  readonly text: string;
  /** Null, or an absent field. Where the text is empty and this is false, the value is an empty text. */
  readonly isNull: boolean;
}

export function draftOf(value: unknown, { type }: TypedColumn, locale: string): Draft {
  return { text: textOf(value, type, locale), isNull: value === null || value === undefined };
}

/** The value of the draft, or why it is not one. */
export function enteredIn(draft: Draft, column: TypedColumn, locale: string, before: unknown): Typed {
  return draft.isNull ? nullIn(column) : typed(draft.text, column, locale, before);
}

export function isSameDraft(one: Draft, other: Draft): boolean {
  return one.text === other.text && one.isNull === other.isNull;
}
