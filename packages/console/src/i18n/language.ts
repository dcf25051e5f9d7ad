import type * as english from './en/index.js';

export type Language = 'en' | 'fr';

/** The languages to choose from, each with its own name. */
export const LANGUAGES: ReadonlyArray<{ readonly value: Language; readonly label: string }> = [
  { value: 'en', label: 'English' },
  { value: 'fr', label: 'Français' },
];

type Texts<Area> = { readonly [Name in keyof Area]: string };
/** The shape of every language. */
type Messages = { readonly [Area in keyof typeof english]: Texts<(typeof english)[Area]> };

/** Each language is a chunk of its own. A page loads one. */
const DICTIONARIES: Record<Language, () => Promise<Messages>> = {
  en: () => import('./en/index.js'),
  fr: () => import('./fr/index.js'),
};

let messages: Messages;

/** The language of the page: the chosen one, else the browser's, else English. public/theme.js sets it before anything is drawn. */
export function language(): Language {
  return document.documentElement.lang === 'fr' ? 'fr' : 'en';
}

export async function loadLanguage(): Promise<void> {
  messages = await DICTIONARIES[language()]();
}

/** Stores the language and loads the page again: every text changes. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem('language', chosen);
  location.reload();
}

type Parameters = Readonly<Record<string, string | number>>;

/** `area.name`, for every text of every area. */
export type MessageKey = {
  [Area in keyof Messages]: `${Area & string}.${keyof Messages[Area] & string}`;
}[keyof Messages];

/**
 * A text in the language of the page. `{name}` in it is replaced by the parameter of that name; numbers are written as
 * the language writes them. `{count|one record|{count} records}` chooses by the plural rule of the language.
 */
export function t(key: MessageKey, parameters: Parameters = {}): string {
  const dot = key.indexOf('.');
  const area = messages[key.slice(0, dot) as keyof Messages] as Readonly<Record<string, string>>;
  return filled(area[key.slice(dot + 1)] ?? key, parameters);
}

/** True if the language has a text of this name, for texts that are chosen by a code of the service. */
export function hasMessage(key: string): key is MessageKey {
  const [area = '', name = ''] = key.split('.', 2);
  return Object.hasOwn(messages, area) && Object.hasOwn(messages[area as keyof Messages], name);
}

type Part =
  | string
  | { readonly name: string; readonly plural?: { readonly one: Part[]; readonly other: Part[] } };

const HOLE = /\{(\w+)(?:\|((?:[^{}]|\{\w+\})*)\|((?:[^{}]|\{\w+\})*))?\}/g;

/** A text, cut once at its holes. */
const compiled = new Map<string, readonly Part[]>();

function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const { 0: hole, 1: name = '', 2: one, 3: other = '', index } of text.matchAll(HOLE)) {
    parts.push(text.slice(at, index));
    parts.push(one === undefined ? { name } : { name, plural: { one: partsOf(one), other: partsOf(other) } });
    at = index + hole.length;
  }
  return [...parts, text.slice(at)];
}

function filled(text: string, parameters: Parameters): string {
  let parts = compiled.get(text);
  if (parts === undefined) {
    parts = partsOf(text);
    compiled.set(text, parts);
  }
  return written(parts, parameters);
}

function written(parts: readonly Part[], parameters: Parameters): string {
  return parts
    .map(part => {
      if (typeof part === 'string') return part;
      const value = parameters[part.name];
      if (part.plural !== undefined) {
        const isOne = rules().plural.select(Number(value)) === 'one';
        return written(isOne ? part.plural.one : part.plural.other, parameters);
      }
      if (value === undefined) return `{${part.name}}`;
      return typeof value === 'number' ? rules().number.format(value) : value;
    })
    .join('');
}

let known: { readonly language: Language; plural: Intl.PluralRules; number: Intl.NumberFormat } | undefined;

/** The rules of the language, which take longer to make than a text to fill. */
function rules() {
  const now = language();
  if (known?.language !== now) {
    known = { language: now, plural: new Intl.PluralRules(now), number: new Intl.NumberFormat(now) };
  }
  return known;
}
