import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Section } from '../../../ui/data/section.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { DialogButton } from '../fields/dialog-button.js';
import { NameCell } from '../fields/name-cell.js';
import { ListTable } from '../list-table.js';
import { type Role, rolesQuery } from '../lists.js';
import styles from '../organization.module.css';
import { mayGrant } from '../rights.js';
import { useChange, useOrganization } from '../use-organization.js';
import { PermissionMatrix } from './permission-matrix.js';
import { RoleDialog } from './role-dialog.js';

const route = getRouteApi('/shell/organization/roles');

/** The roles of the organization, and what each of them allows. */
export function RolesPage() {
  const { page } = route.useSearch();
  const { orgSlug, may } = useOrganization();
  const roles = useQuery(rolesQuery(orgSlug, page));
  const mayManage = may('orgs:roles:manage');
  const columns = [
    {
      title: t('organization.role'),
      cell: ({ name, slug, builtIn }: Role) => (
        <NameCell
          name={name}
          below={<span className={styles.mono}>{slug}</span>}
          badges={[builtIn && t('organization.builtIn')]}
        />
      ),
    },
    {
      title: t('organization.scopes'),
      cell: ({ scopes }: Role) => (scopes.length === 0 ? t('organization.allResources') : scopes.join(', ')),
    },
    ...(mayManage
      ? [
          {
            title: t('organization.actions'),
            align: 'end' as const,
            cell: (role: Role) => <RoleActions role={role} />,
          },
        ]
      : []),
  ];
  return (
    <>
      <Section
        title={t('organization.roles')}
        text={t('organization.rolesText')}
        actions={
          mayManage && (
            <DialogButton look="primary" label={t('organization.newRole')}>
              {close => <RoleDialog onClose={close} />}
            </DialogButton>
          )
        }
      >
        <ListTable
          label={t('organization.roles')}
          query={roles}
          columns={columns}
          itemKey={({ slug }) => slug}
          empty={t('organization.none')}
          page={page}
        />
      </Section>
      {roles.data !== undefined && (
        <Section title={t('organization.matrix')} text={t('organization.matrixText')}>
          <PermissionMatrix roles={roles.data.results} />
        </Section>
      )}
    </>
  );
}

function RoleActions({ role }: { readonly role: Role }) {
  const { me, orgSlug } = useOrganization();
  const change = useChange();
  const { slug, name } = role;
  if (role.builtIn || !mayGrant(me, role)) return null;
  return (
    <div className={styles.actions}>
      <DialogButton label={t('organization.change')} name={t('organization.changeOf', { name })}>
        {close => <RoleDialog role={role} onClose={close} />}
      </DialogButton>
      <ConfirmButton
        label={t('organization.delete')}
        name={t('organization.deleteOf', { name })}
        title={t('organization.deleteRoleTitle', { name })}
        run={() => change(() => api.roles.deleteOrgRole({ orgSlug, slug }))}
      >
        <p>{t('organization.deleteRoleText')}</p>
      </ConfirmButton>
    </div>
  );
}
