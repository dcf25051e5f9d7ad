import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { useChange } from '../../organization/use-organization.js';
import { securityQuery } from '../queries.js';
import type { Authorizations } from './rule.js';

/**
 * Changes roles and rules as the service has them at this moment, so that a change of somebody else is not lost. The
 * change returns undefined if it no longer fits them.
 */
export function useSecurityChange(workspaceId: string) {
  const queryClient = useQueryClient();
  const change = useChange();
  return async (changed: (now: Authorizations) => Authorizations | undefined): Promise<void> => {
    const { authorizations } = await queryClient.fetchQuery({ ...securityQuery(workspaceId), staleTime: 0 });
    const next = changed(authorizations);
    if (next === undefined) throw new Error(t('workspaces.changedMeanwhile'));
    await change(() => api.workspaces.replaceWorkspaceSecurity({ workspaceId, authorizations: next }));
  };
}
