import type { Language } from '../http/request-language.js';

/** What a mail is for. Mails of different kinds to one address are counted separately. */
type MailKind = 'invitation' | 'recovery' | 'login';

/** A mail as plain text. */
export interface Mail {
  readonly kind: MailKind;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The organization that causes the mail. Its mails are limited, and deleted with it. */
  readonly orgId?: string | undefined;
  /** Seconds for which sending is attempted. */
  readonly seconds: number;
}

/** A text in every language that mails are written in. */
export type Wording<T> = Readonly<Record<Language, T>>;

/**
 * Addresses to which mail is sent: an atom of RFC 5322 before the @, and a domain. Quotes, comments and other characters
 * with a meaning in headers are left out, because mail servers disagree about them.
 */
const ADDRESS =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

export function isMailAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** A name that people chose, in one line of a mail: without control characters, and not long enough for a message. */
export function nameInMail(name: string): string {
  const line = name.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  // Mail programs make links of addresses. A name must not lead to another site.
  const inert = line.replace(/:\/\/|\bwww\./giu, ' ').replace(/(?<=\S)[.@](?=\S)/gu, ' ');
  return inert.length > 80 ? `${inert.slice(0, 79)}…` : inert;
}
