import { Resolver } from 'node:dns';
import { readFileSync } from 'node:fs';
import { ORG_SLUG, PUBLIC_DOMAIN } from '../../base/kernel/names.js';
import { originOf, readUpstreams, type Upstream } from './upstreams.js';

/** A host in a setting, with a port if the setting names one. */
export interface HostEntry {
  readonly host: string;
  readonly port: number | undefined;
}

/** Reads `host`, `host:port`, `[v6]` or `[v6]:port`, with the host in the form of URLs. Throws with the reason. */
export function hostEntry(text: string): HostEntry {
  const [, host = '', port] = /^(\[[^\]]+\]|[^:/?#@*\\\s]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === '' || !URL.canParse(`http://${host}/`) || Number(port) > 65_535) {
    throw new Error('expects hosts like localhost, idp.test:8443 or [::1]:8443');
  }
  return { host: new URL(`http://${host}/`).hostname, port: port === undefined ? undefined : Number(port) };
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a JSON array from a file and replaces `${NAME}` in its strings from the environment. Errors never quote the
 * file.
 */
export function readArrayFile(path: string, environment: Environment): readonly unknown[] {
  const read = parse(path, load(path));
  if (!Array.isArray(read)) throw new Error(`${path} must hold a JSON array`);
  return interpolated(read, environment) as unknown[];
}

function load(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** The message of JSON.parse is not used because it would quote secrets. */
function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${path} is not valid JSON`);
  }
}

/** Strings are replaced after parsing, so a value of the environment cannot change the structure. */
function interpolated(value: unknown, environment: Environment): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const found = environment[name];
      if (found === undefined || found === '') throw new Error(`contains \${${name}}, which is not set`);
      return found;
    });
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(each => interpolated(each, environment));
  const entries = Object.entries(value).map(([name, each]) => [name, interpolated(each, environment)]);
  return Object.fromEntries(entries);
}

/** A setting: its description, its default, and how its text is parsed. */
export interface Setting<T> {
  readonly doc: string;
  readonly example: string;
  readonly fallback: T;
  /** Throws an Error with the reason when the text is not valid. */
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

/** A text of this form; `expected` says which. */
export const form = (doc: string, pattern: RegExp, expected: string, example: string) =>
  setting<string | undefined>(
    doc,
    undefined,
    value => {
      if (!pattern.test(value)) throw new Error(`expects ${expected}`);
      return value;
    },
    example,
  );

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

/** One or more of the choices, comma-separated. The default is all of them. */
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

/** Origins of pages, `*` for all, or `none`. The default is undefined. */
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

/** Throws unless the entry is an origin in the form that browsers send. */
export function checkOrigin(entry: string): void {
  const isOrigin = /^https?:/.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry;
  if (!isOrigin) throw new Error('expects origins like https://host');
}

/** An organization's slug and a domain in lower case, `acme=acme.example`. */
export function checkVerifiedDomain(entry: string): void {
  const [slug, domain, ...rest] = entry.split('=');
  const isEntry = rest.length === 0 && ORG_SLUG.test(slug ?? '') && PUBLIC_DOMAIN.test(domain ?? '');
  if (!isEntry) throw new Error('expects entries like acme=acme.example');
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

/** Address of another service: scheme, host and port only. */
export const origin = (doc: string, example: string) =>
  setting<string | undefined>(doc, undefined, originOf, example);

/** JSON object of path prefixes and the origins of the services behind them. */
export const upstreams = (doc: string, example: string) =>
  setting<readonly Upstream[]>(doc, [], readUpstreams, example);

/**
 * Path of a file with a JSON array. The value is the array, with `${NAME}` in strings replaced from the environment.
 */
export const arrayFile = (doc: string, example: string) =>
  setting<readonly unknown[]>(doc, [], readArrayFile, example);
