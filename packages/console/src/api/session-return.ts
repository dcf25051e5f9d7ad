import { api } from './client.js';
import { sessionEnded } from './page-flags.js';
import { noticeFailure, queryClient, repeatFailedQueries } from './query-client.js';
import { type Me, meQuery } from './session.js';

/** One for the page, so that it does not hear itself. */
const channel = new BroadcastChannel('typed-collections-session');

/** Tells the other pages of this browser that somebody has signed in or out. */
export function announceSession(): void {
  channel.postMessage('changed');
}

/**
 * Follows what other pages of this browser announce: this page goes on, or asks to sign in. Announces the page itself,
 * because a link or a provider may have signed somebody in. Returns how to stop.
 */
export function followSession(): () => void {
  const check = () => void checkSession();
  channel.addEventListener('message', check);
  announceSession();
  return () => channel.removeEventListener('message', check);
}

/** A provider may have led the other window elsewhere, so that it announced nothing. Returns how to stop. */
export function checkOnFocus(): () => void {
  const check = () => void checkSession();
  window.addEventListener('focus', check);
  return () => window.removeEventListener('focus', check);
}

let checks = 0;

async function checkSession(): Promise<void> {
  checks += 1;
  const check = checks;
  const before = queryClient.getQueryData(meQuery.queryKey);
  const now = await api.authentication.getMe().catch((error: unknown) => {
    // An answer that a later one overtook says nothing about the present session.
    if (check === checks) noticeFailure(error);
    return undefined;
  });
  if (now === undefined || check !== checks) return;
  if (before !== undefined && before.id !== now.id) {
    // What the page shows belongs to somebody else.
    location.reload();
    return;
  }
  if (!sessionEnded.get()) return;
  queryClient.setQueryData(meQuery.queryKey, await withOrganization(now, before?.org?.slug));
  sessionEnded.set(false);
  repeatFailedQueries();
}

/** The new session may have another active organization than the page shows. */
async function withOrganization(me: Me, slug: string | undefined): Promise<Me> {
  if (slug === undefined || me.org?.slug === slug || !me.orgSlugs.includes(slug)) return me;
  await api.authentication.switchOrg({ orgSlug: slug });
  return api.authentication.getMe();
}
