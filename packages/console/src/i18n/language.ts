import type { Messages } from './en/index.js';

export type Language = 'en' | 'fr';

/** The languages to choose from, each with its own name. */
export const LANGUAGES: ReadonlyArray<{ readonly value: Language; readonly label: string }> = [
  { value: 'en', label: 'English' },
  { value: 'fr', label: 'Français' },
];

/** Each language is a chunk of its own. A page loads one. */
const DICTIONARIES: Record<Language, () => Promise<{ readonly messages: Messages }>> = {
  en: () => import('./en/index.js'),
  fr: () => import('./fr/index.js'),
};

let messages: Messages;

/** The language of the page: the chosen one, else the browser's, else English. public/theme.js sets it before anything is drawn. */
export function language(): Language {
  return document.documentElement.lang === 'fr' ? 'fr' : 'en';
}

export async function loadLanguage(): Promise<void> {
  messages = (await DICTIONARIES[language()]()).messages;
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

const PLURAL = /\{(\w+)\|((?:[^{}]|\{\w+\})*)\|((?:[^{}]|\{\w+\})*)\}/g;

function filled(text: string, parameters: Parameters): string {
  return text
    .replace(PLURAL, (_, name: string, one: string, other: string) =>
      new Intl.PluralRules(language()).select(Number(parameters[name])) === 'one' ? one : other,
    )
    .replace(/\{(\w+)\}/g, (hole, name: string) => {
      const value = parameters[name];
      if (value === undefined) return hole;
      return typeof value === 'number' ? new Intl.NumberFormat(language()).format(value) : value;
    });
}
