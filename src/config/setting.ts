import { Resolver } from 'node:dns';
import { type Environment, readArrayFile } from './json-file.js';
import { originOf, readUpstreams, type Upstream } from './upstreams.js';

/** One setting: how its text becomes a value, what it means, and what holds when it is absent. */
export interface Setting<T> {
  readonly doc: string;
  readonly example: string;
  readonly fallback: T;
  /** Throws an Error whose message is the reason when the text is no value of this setting. */
  readonly parse: (text: string, environment: Environment) => T;
}

const setting = <T>(
  doc: string,
  fallback: T,
  parse: Setting<T>['parse'],
  example = String(fallback ?? ''),
) => ({
  doc,
  example,
  fallback,
  parse,
});

export const text = <T extends string | undefined>(doc: string, fallback: T, example?: string) =>
  setting<string | T>(doc, fallback, value => value, example);

export const integer = (doc: string, fallback: number, min: number, max: number) =>
  setting(doc, fallback, value => {
    const number = Number(value);
    if (!/^-?\d+$/.test(value) || number < min || number > max) {
      throw new Error(`expects a whole number from ${min} to ${max}`);
    }
    return number;
  });

export const fraction = (doc: string, fallback: number) =>
  setting(doc, fallback, value => {
    if (!/^(?:0?\.\d+|[01](?:\.0*)?)$/.test(value)) throw new Error('expects a number from 0 to 1');
    return Number(value);
  });

export const choice = <const T extends string>(doc: string, fallback: NoInfer<T>, choices: readonly T[]) =>
  setting<T>(doc, fallback, value => {
    const found = choices.find(each => each === value);
    if (found === undefined) throw new Error(`expects one of: ${choices.join(', ')}`);
    return found;
  });

/** One or more of the choices, comma-separated; all of them when it is absent. */
export const choices = <const T extends string>(doc: string, all: readonly T[]) =>
  setting<readonly T[]>(doc, all, value => {
    const entries = value.split(',').map(entry => entry.trim());
    const chosen = all.filter(each => entries.includes(each));
    if (chosen.length !== entries.length) throw new Error(`expects one or more of: ${all.join(', ')}`);
    return chosen;
  });

export const flag = (doc: string, fallback: boolean) =>
  setting(doc, fallback, value => {
    if (value !== 'true' && value !== 'false') throw new Error('expects true or false');
    return value === 'true';
  });

/** Origins of pages, `*` for all or `none`; undefined when it is absent. */
export const origins = (doc: string, example: string) =>
  setting<readonly string[] | undefined>(
    doc,
    undefined,
    value => {
      if (value === '*') return ['*'];
      if (value === 'none') return [];
      const entries = value.split(',').map(entry => entry.trim());
      entries.forEach(checkOrigin);
      return entries;
    },
    example,
  );

/** Throws for what is not an origin as browsers write it. */
export function checkOrigin(entry: string): void {
  const isOrigin = /^https?:/.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry;
  if (!isOrigin) throw new Error('expects origins like https://host');
}

/** An organization's slug and a domain in lower case, `acme=acme.example`. */
export function checkVerifiedDomain(entry: string): void {
  if (/^[a-z0-9][a-z0-9_-]{1,39}=([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/.test(entry)) return;
  throw new Error('expects entries like acme=acme.example');
}

/** An IP address, with or without a port. */
export function checkDnsServer(entry: string): void {
  try {
    new Resolver().setServers([entry]);
  } catch {
    throw new Error('expects IP addresses like 192.0.2.53, 192.0.2.53:53 or [2001:db8::53]:53');
  }
}

/** Comma-separated list; `check` throws with the reason for a bad entry. */
export const list = (doc: string, example: string, check: (entry: string) => void = () => {}) =>
  setting<readonly string[]>(
    doc,
    [],
    value => {
      const entries = value
        .split(',')
        .map(entry => entry.trim())
        .filter(entry => entry !== '');
      entries.forEach(check);
      return entries;
    },
    example,
  );

export const url = (doc: string, protocols: readonly string[], example: string) =>
  setting<string | undefined>(
    doc,
    undefined,
    value => {
      if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
        throw new Error(`expects a URL beginning with ${protocols.map(each => `${each}//`).join(' or ')}`);
      }
      return value;
    },
    example,
  );

/** Address of another part of the platform, nothing but scheme, host and port. */
export const origin = (doc: string, example: string) =>
  setting<string | undefined>(doc, undefined, originOf, example);

/** JSON object of path prefixes and the services behind them. */
export const upstreams = (doc: string, example: string) =>
  setting<readonly Upstream[]>(doc, [], readUpstreams, example);

/** Path of a file that holds a JSON array, `${NAME}` in its texts standing for the environment's; the value is the array. */
export const arrayFile = (doc: string, example: string) =>
  setting<readonly unknown[]>(doc, [], readArrayFile, example);
