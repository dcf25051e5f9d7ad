import type { JsonObject } from './json.js';

/** What one may do in a workspace, and with what. Source: platform contract, Workspaces. */
export const WORKSPACE_ACTIONS = ['manage', 'create', 'read', 'update', 'delete', 'execute'] as const;
export const WORKSPACE_SUBJECTS = ['workspaces', 'pages', 'files', 'apps', 'events', 'automations'] as const;

export type WorkspaceAction = (typeof WORKSPACE_ACTIONS)[number];
export type WorkspaceSubject = (typeof WORKSPACE_SUBJECTS)[number];

/** One grant of a workspace API key (spec 2.5); the conditions restrict it to the workspace. */
export interface WorkspaceKeyRule {
  readonly action: readonly WorkspaceAction[];
  readonly subject: WorkspaceSubject;
  readonly conditions: JsonObject;
}

/** The condition that restricts a subject to one workspace: spec 2.5. */
export function inWorkspace(subject: WorkspaceSubject, workspaceId: string): JsonObject {
  return subject === 'workspaces' ? { id: workspaceId } : { workspaceId };
}
