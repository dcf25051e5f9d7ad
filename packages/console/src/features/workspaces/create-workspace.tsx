import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.js';
import { t } from '../../i18n/language.js';
import { useChange, useOrganization } from '../organization/use-organization.js';
import { WorkspaceForm } from './workspace-form.js';

/** Creates a workspace in the active organization, and opens it. */
export function CreateWorkspace({ onClose }: { readonly onClose: () => void }) {
  const { orgSlug } = useOrganization();
  const navigate = useNavigate();
  const change = useChange();
  return (
    <WorkspaceForm
      title={t('workspaces.create')}
      onClose={onClose}
      send={async described => {
        const { id } = await change(() => api.workspaces.createWorkspace({ orgSlug, ...described }));
        await navigate({ to: '/workspaces/$workspace', params: { workspace: id } });
      }}
    />
  );
}
