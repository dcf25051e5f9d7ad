import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.js';
import { t } from '../../i18n/language.js';
import { Section } from '../../ui/data/section.js';
import { useTitle } from '../../ui/hooks.js';
import { ConfirmButton } from '../../ui/overlays/confirm-dialog.js';
import { ErrorBox, Loading } from '../../ui/states.js';
import { DialogButton } from '../organization/fields/dialog-button.js';
import { useChange, useOrganization } from '../organization/use-organization.js';
import { CheckPermission } from './check-permission.js';
import { Keys } from './keys/keys.js';
import { People } from './people.js';
import { type Workspace, workspaceQuery, workspaceRightsQuery } from './queries.js';
import { Security } from './rules/security.js';
import { WorkspaceForm } from './workspace-form.js';
import styles from './workspaces.module.css';

const route = getRouteApi('/shell/workspaces/$workspace');

/** One workspace: what one may do in it, and, for those who administer it, people, rules and keys. */
export function WorkspacePage() {
  const { workspace: id } = route.useParams();
  const { data: workspace, error, refetch } = useQuery(workspaceQuery(id));
  useTitle(workspace?.name);
  return (
    <div className={styles.page}>
      <nav aria-label={t('workspaces.path')} className={styles.path}>
        <Link to="/workspaces">{t('workspaces.title')}</Link>
        <span aria-hidden>/</span>
      </nav>
      {workspace === undefined ? (
        <>
          <h1 className="visually-hidden">{t('workspaces.title')}</h1>
          {error === null ? <Loading lines={6} /> : <ErrorBox error={error} onRetry={() => void refetch()} />}
        </>
      ) : (
        <Content workspace={workspace} />
      )}
    </div>
  );
}

function Content({ workspace }: { readonly workspace: Workspace }) {
  const { may } = useOrganization();
  const { data: rights, error, refetch } = useQuery(workspaceRightsQuery(workspace));
  const change = useChange();
  const { id, name, description } = workspace;
  const administers = may('workspaces:manage') || rights?.role === 'owner';
  return (
    <>
      <header className={styles.heading}>
        <h1>{name}</h1>
        {rights?.mayUpdate && (
          <DialogButton label={t('organization.change')} name={t('organization.changeOf', { name })}>
            {close => (
              <WorkspaceForm
                title={t('organization.changeOf', { name })}
                workspace={workspace}
                onClose={close}
                send={({ slug: _, ...changed }) =>
                  change(() => api.workspaces.updateWorkspace({ workspaceId: id, ...changed }))
                }
              />
            )}
          </DialogButton>
        )}
      </header>
      <p className={styles.quiet}>
        {description !== null && description !== '' && <>{description} · </>}
        {rights?.role && t('workspaces.yourRole', { role: rights.role })}
      </p>
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      <CheckPermission workspace={workspace} administers={administers} />
      {administers && (
        <>
          <People workspace={workspace} />
          <Security workspace={workspace} />
          <Keys workspace={workspace} />
        </>
      )}
      {rights?.mayDelete && <Delete workspace={workspace} />}
    </>
  );
}

function Delete({ workspace: { id, name, slug } }: { readonly workspace: Workspace }) {
  const navigate = useNavigate();
  const change = useChange();
  const remove = async () => {
    await api.workspaces.deleteWorkspace({ workspaceId: id });
    await navigate({ to: '/workspaces' });
    await change(async () => undefined);
  };
  return (
    <Section
      title={t('workspaces.delete')}
      text={t('workspaces.deleteText')}
      actions={
        <ConfirmButton
          label={t('workspaces.delete')}
          title={t('workspaces.deleteTitle', { name })}
          typedName={slug}
          run={remove}
        >
          <p>{t('workspaces.deleteWarning')}</p>
        </ConfirmButton>
      }
    />
  );
}
