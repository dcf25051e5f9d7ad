import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { hasPasskeys } from '../passkeys/ceremonies.js';

/** The ways to sign in. With an organization: also whether it admits people without an account. */
export const loginWaysQuery = (org?: string) =>
  queryOptions({
    queryKey: ['login-ways', org],
    queryFn: ({ signal }) =>
      api.authentication.listLoginProviders(org === undefined ? {} : { orgSlug: org }, { signal }),
  });

export type LoginWays = Awaited<ReturnType<typeof api.authentication.listLoginProviders>>;

/** True if the installation offers passkeys and the browser has them. */
export function canUsePasskeys(ways: LoginWays): boolean {
  return ways.passkeys && hasPasskeys();
}

/** The address that begins a sign-in at a provider and then redirects to `next`. */
export function providerAddress(slug: string, next: string): string {
  return `/v2/login?${new URLSearchParams({ provider: slug, redirect: next })}`;
}
