import { api } from '../../api/client.js';
import { type Me, meQuery } from '../../api/session.js';
import { sessionEnded } from '../page-flags.js';
import { queryClient, repeatFailedQueries } from '../query-client.js';

const CHANNEL = 'typed-collections-session';

/** Tells the other pages of this browser that somebody signed in. */
export function announceSession(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('began');
  channel.close();
}

/** Watches for a sign-in in another window, and lets this page go on. Returns how to stop. */
export function watchForSession(): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  const check = () => void goOn();
  channel.addEventListener('message', check);
  // A provider may have led the other window elsewhere, so that it announced nothing.
  window.addEventListener('focus', check);
  return () => {
    channel.close();
    window.removeEventListener('focus', check);
  };
}

async function goOn(): Promise<void> {
  const before = queryClient.getQueryData(meQuery.queryKey);
  const now = await api.authentication.getMe().catch(() => undefined);
  if (now === undefined) return;
  if (before !== undefined && before.id !== now.id) {
    // What the page shows belongs to somebody else.
    location.reload();
    return;
  }
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
