/**
 * What a route of the workspaces needs. `list` and `create`: no workspace yet. `see`: the workspace of the path is
 * visible. `read`, `update`, `delete`: its rules allow that. `administer`: its owner, or `workspaces:manage`.
 */
export type WorkspaceRight = 'list' | 'create' | 'see' | 'read' | 'update' | 'delete' | 'administer';
