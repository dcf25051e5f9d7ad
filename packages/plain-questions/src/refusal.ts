import type { Field } from './fields/fields.js';
import type { Lexicon } from './lexicon/lexicon.js';

export type Reason = Exclude<keyof Lexicon['refusals'], 'columnsRest' | 'unread'>;

/** The reason why a question is refused. Any stage can throw it. The lexicon has the sentences. */
export class Refusal extends Error {
  constructor(
    readonly reason: Reason,
    private readonly about: Readonly<Record<'text' | 'other', string>>,
    private readonly columns: readonly Field[],
    private readonly values: readonly string[],
  ) {
    super(reason);
  }

  /**
   * Fills in a sentence: `{name}` is replaced, and `[…]` is left out if its placeholder is empty. Adds which fields could
   * not be read in time, because a word that is one of their values is not known then.
   */
  in({ refusals }: Lexicon, unread: readonly Field[] = []): string {
    const listed = (fields: readonly Field[]) => {
      const names = fields.filter(({ system }) => !system).map(({ name }) => `\`${name}\``);
      return [...names.slice(0, 30), ...(names.length > 30 ? [refusals.columnsRest] : [])].join(', ');
    };
    const said: Readonly<Record<string, string>> = {
      ...this.about,
      columns: listed(this.columns),
      unread: listed(unread),
      values: [...new Set(this.values)].map(value => `"${value}"`).join(', '),
    };
    return `${refusals[this.reason]}${refusals.unread}`
      .replace(/\[([^\]]*\{(\w+)\}[^\]]*)\]/g, (_, part: string, name: string) => (said[name] ? part : ''))
      .replace(/\{(\w+)\}/g, (_, name: string) => said[name]!);
  }
}

/** Refuses a question because of a text in it. The sentence can name columns, another name and values. */
export function refuse(
  reason: Reason,
  text = '',
  columns: readonly Field[] = [],
  other = '',
  values: readonly string[] = [],
): never {
  throw new Refusal(reason, { text, other }, columns, values);
}
