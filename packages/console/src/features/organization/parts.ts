import type { MessageKey } from '../../i18n/language.js';
import { mayInOrganization, type Rights } from './rights.js';

interface Part {
  readonly to: `/organization/${string}`;
  readonly title: MessageKey;
  /** The permission without which the service refuses what the page shows. Undefined: every member sees it. */
  readonly needs?: string;
}

/** The pages of the organization. */
const PARTS = [
  { to: '/organization/members', title: 'organization.members' },
  { to: '/organization/invitations', title: 'organization.invitations', needs: 'orgs:invites:manage' },
  { to: '/organization/roles', title: 'organization.roles' },
  { to: '/organization/groups', title: 'organization.groups' },
  { to: '/organization/keys', title: 'organization.keys', needs: 'orgs:apikeys:manage' },
  {
    to: '/organization/service-accounts',
    title: 'organization.serviceAccounts',
    needs: 'orgs:service-accounts:manage',
  },
  { to: '/organization/agents', title: 'organization.agents' },
  { to: '/organization/sign-in', title: 'organization.signIn', needs: 'orgs:sso:manage' },
  { to: '/organization/audit', title: 'organization.audit', needs: 'orgs:audit:read' },
  { to: '/organization/settings', title: 'organization.settings' },
] as const satisfies readonly Part[];

/** The pages that the person may see. */
export function partsFor(me: Rights) {
  return PARTS.filter(part => !('needs' in part) || mayInOrganization(me, part.needs));
}
