import { isObject } from '../../../values/json.js';

type Path = readonly (string | number)[];

/** Characters of a value that the service quotes in a message. */
const QUOTED = 40;
const OPERATOR = /^\$\w+$/;

/**
 * The places in a filter that the message of a refusal names: an operator, a field in quotes or a value in quotes. The
 * one that the message names first counts. Empty if it names none; several if the filter has the same name at several
 * places.
 */
export function refusedPlaces(message: string, filter: unknown): readonly Path[] {
  let first = Number.POSITIVE_INFINITY;
  let places: Path[] = [];
  const named = (at: number, path: Path) => {
    if (at < 0 || at > first) return;
    places = at < first ? [path] : [...places, path];
    first = at;
  };
  const visit = (value: unknown, path: Path) => {
    if (typeof value === 'string') named(indexOfQuoted(message, value), path);
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, [...path, index]);
    else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        named(indexOfName(message, name), [...path, name]);
        visit(member, [...path, name]);
      }
    }
  };
  visit(filter, []);
  return places;
}

function indexOfName(message: string, name: string): number {
  if (name === '$regex' && message.includes('regular expression')) return 0;
  const bare = OPERATOR.test(name) ? message.search(new RegExp(`\\${name}(?!\\w)`)) : -1;
  return bare < 0 ? indexOfQuoted(message, name) : bare;
}

function indexOfQuoted(message: string, text: string): number {
  if (text === '') return -1;
  const shown = text.slice(0, QUOTED);
  const found = [`'${shown}`, JSON.stringify(shown).slice(0, -1)]
    .map(quoted => message.indexOf(quoted))
    .filter(at => at >= 0);
  return Math.min(...found, Number.POSITIVE_INFINITY) === Number.POSITIVE_INFINITY ? -1 : Math.min(...found);
}
