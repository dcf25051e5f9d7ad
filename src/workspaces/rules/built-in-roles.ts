import type { WorkspaceRule } from './workspace-rule.js';

/** The roles that every workspace has, and what they may do before its own rules are read. */
export const BUILT_IN_ROLES: Readonly<
  Record<string, { readonly description: string; readonly rules: readonly WorkspaceRule[] }>
> = {
  owner: {
    description: 'May do everything, and decides who may do what.',
    rules: [{ action: 'manage', subject: 'all' }],
  },
  editor: {
    description: 'Works on everything in the workspace; does not delete it.',
    rules: [
      { action: ['read', 'update'], subject: 'workspaces' },
      { action: 'manage', subject: ['pages', 'files', 'apps', 'events', 'automations'] },
    ],
  },
};

export function isBuiltInRole(name: string): boolean {
  return Object.hasOwn(BUILT_IN_ROLES, name);
}
