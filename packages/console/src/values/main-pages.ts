import type { Me } from '../api/session.js';

const COLLECTIONS = { to: '/collections', title: 'collections.title' } as const;
const WORKSPACES = { to: '/workspaces', title: 'workspaces.title' } as const;
const ORGANIZATION = { to: '/organization', title: 'organization.title' } as const;

/** The main pages that the person may open. Those of an organization need a membership. */
export function mainPages(me: Pick<Me, 'org'> | undefined) {
  return me === undefined || me.org === null ? [COLLECTIONS] : [COLLECTIONS, WORKSPACES, ORGANIZATION];
}
