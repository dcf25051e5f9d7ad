import type { IncomingHttpHeaders } from 'node:http';

/** Undefined when the cookie was sent twice: another origin with the same host name has set one of them. */
export function onlyCookie({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  const values = cookie
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`));
  return values.length === 1 ? values[0]?.slice(name.length + 1) : undefined;
}
