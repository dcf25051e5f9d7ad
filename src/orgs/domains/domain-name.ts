import { domainToASCII } from 'node:url';

const RECORD_LABEL = '_typed-collections.';
const VALUE_PREFIX = 'typed-collections-verification=';

/** RFC 1035, 2.3.4; the name of the record must fit, too. */
const MAX_LENGTH = 253 - RECORD_LABEL.length;
/** RFC 1123, 2.1, of two labels at least. The last one begins with a letter, so an IP address is not a domain. */
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
/** What would make a URL parser read another host. */
const NOT_OF_A_NAME = /[\s/?#@:%\\[\]]/;

/** The domain in lower case and ASCII, without a dot at its end; undefined when it is not one that mail could go to. */
export function normalDomain(text: string): string | undefined {
  if (NOT_OF_A_NAME.test(text)) return undefined;
  const ascii = domainToASCII(text).toLowerCase().replace(/\.$/, '');
  return ascii.length <= MAX_LENGTH && DOMAIN.test(ascii) ? ascii : undefined;
}

/** Where the record of a domain is. */
export function recordName(domain: string): string {
  return RECORD_LABEL + domain;
}

export function recordValue(token: string): string {
  return VALUE_PREFIX + token;
}

/** True for the value of such a record of any organization. */
export function isVerification(value: string): boolean {
  return value.startsWith(VALUE_PREFIX);
}
