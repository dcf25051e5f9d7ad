import type { Client } from 'oidc-provider';

const MAX_LENGTH = 100;

/** What people are shown of a client. It chose its name: without what is invisible or turns the text around, and not longer than a line. */
export function displayName({ clientName, clientId }: Pick<Client, 'clientName' | 'clientId'>): string {
  const visible = (clientName ?? '').replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim();
  return (visible === '' ? clientId : visible).slice(0, MAX_LENGTH);
}
