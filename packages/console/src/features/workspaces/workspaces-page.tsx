import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { SimpleTable } from '../../ui/data/simple-table.js';
import { EmptyState } from '../../ui/states.js';
import { moment } from '../../values/dates.js';
import { DialogButton } from '../organization/fields/dialog-button.js';
import { NameCell } from '../organization/fields/name-cell.js';
import { useChange, useOrganization } from '../organization/use-organization.js';
import { type Workspace, workspacesQuery } from './queries.js';
import { WorkspaceForm } from './workspace-form.js';
import styles from './workspaces.module.css';

/** The workspaces of the active organization that the person may see. */
export function WorkspacesPage() {
  const { orgSlug, may } = useOrganization();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(
    workspacesQuery(orgSlug),
  );
  const columns = [
    {
      title: t('organization.name'),
      cell: ({ id, name, slug }: Workspace) => (
        <NameCell
          name={
            <Link to="/workspaces/$workspace" params={{ workspace: id }}>
              {name}
            </Link>
          }
          below={<span className={styles.mono}>{slug}</span>}
        />
      ),
    },
    { title: t('workspaces.description'), cell: ({ description }: Workspace) => description?.slice(0, 200) },
    { title: t('workspaces.updated'), cell: ({ updatedAt }: Workspace) => moment(updatedAt) },
  ];
  return (
    <div className={styles.page}>
      <header className={styles.heading}>
        <h1>{t('workspaces.title')}</h1>
        {may('workspaces:create') && (
          <DialogButton look="primary" label={t('workspaces.create')}>
            {close => <CreateWorkspace onClose={close} />}
          </DialogButton>
        )}
      </header>
      <p className={styles.quiet}>{t('workspaces.text')}</p>
      <SimpleTable
        label={t('workspaces.title')}
        columns={columns}
        items={data}
        itemKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={<EmptyState title={t('workspaces.none')}>{t('workspaces.noneText')}</EmptyState>}
      />
      {hasNextPage && (
        <div>
          <Button disabled={isFetching} onClick={() => void fetchNextPage()}>
            {t('workspaces.more')}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Creates a workspace in the active organization, and opens it. */
function CreateWorkspace({ onClose }: { readonly onClose: () => void }) {
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
