import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { isAllowed } from '../../api/permissions.js';
import { meQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { Section } from '../../ui/data/section.js';
import { ConfirmButton } from '../../ui/overlays/confirm-dialog.js';
import { FormDialog } from '../../ui/overlays/form-dialog.js';
import { DialogButton } from './fields/dialog-button.js';
import { NameCell } from './fields/name-cell.js';
import { NamedFields } from './fields/named.js';
import { othersAmong, PRODUCTS } from './fields/permissions.js';
import { type GrantedRights, RightsFields } from './fields/rights-fields.js';
import { ListSection } from './list-table.js';
import { type Role, rolesQuery } from './lists.js';
import styles from './organization.module.css';
import { mayGrant } from './rights.js';
import permissionMatrix from './roles/permission-matrix.module.css';
import { useChange, useOrganization } from './use-organization.js';

const route = getRouteApi('/shell/organization/roles');

/** The roles of the organization, and what each of them allows. */
export function RolesPage() {
  const { page } = route.useSearch();
  const { orgSlug, may } = useOrganization();
  const roles = useQuery(rolesQuery(orgSlug, page));
  const mayManage = may('orgs:roles:manage');
  return (
    <>
      <ListSection
        title={t('organization.roles')}
        text={t('organization.rolesText')}
        create={
          mayManage && { label: t('organization.newRole'), dialog: close => <RoleDialog onClose={close} /> }
        }
        actionsOf={mayManage && (role => <RoleActions role={role} />)}
        query={roles}
        columns={[
          {
            title: t('organization.role'),
            cell: ({ name, slug, builtIn }) => (
              <NameCell
                name={name}
                below={<span className={styles.mono}>{slug}</span>}
                badges={[builtIn && t('organization.builtIn')]}
              />
            ),
          },
          {
            title: t('organization.scopes'),
            cell: ({ scopes }) => (scopes.length === 0 ? t('organization.allResources') : scopes.join(', ')),
          },
        ]}
        itemKey={({ slug }) => slug}
        empty={t('organization.none')}
        page={page}
      />
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

interface RoleDialogProps {
  /** The role to change; undefined for a new one. */
  readonly role?: Role;
  readonly onClose: () => void;
}

/** A role: its name and what it allows. */
function RoleDialog({ role, onClose }: RoleDialogProps) {
  const { orgSlug } = useOrganization();
  const queryClient = useQueryClient();
  const change = useChange();
  const [named, setNamed] = useState({ name: role?.name ?? '', slug: role?.slug ?? '' });
  const [rights, setRights] = useState<GrantedRights>({
    permissions: role?.permissions ?? [],
    scopes: role?.scopes ?? [],
  });
  const send = async () => {
    const sent = {
      orgSlug,
      ...named,
      permissions: [...rights.permissions],
      scopes: [...rights.scopes],
    };
    await change(() => (role === undefined ? api.roles.createOrgRole(sent) : api.roles.updateOrgRole(sent)));
    // It may be one's own role.
    await queryClient.invalidateQueries(meQuery);
  };
  return (
    <FormDialog
      title={
        role === undefined
          ? t('organization.newRole')
          : t('organization.changeRoleTitle', { name: role.name })
      }
      action={t('common.save')}
      onClose={onClose}
      send={send}
      shape="wide"
    >
      <NamedFields value={named} onChange={setNamed} exists={role !== undefined} />
      <RightsFields value={rights} onChange={setRights} />
    </FormDialog>
  );
}

/** One row for each permission, one column for each role: what the role effectively allows, wildcards included. */
function PermissionMatrix({ roles }: { readonly roles: readonly Role[] }) {
  const others = [...new Set(roles.flatMap(({ permissions }) => othersAmong(permissions)))].sort();
  const products = [
    ...PRODUCTS.map(({ title, permissions }) => ({
      title: t(title),
      permissions: Object.entries(permissions).map(([permission, text]) => ({ permission, text: t(text) })),
    })),
    {
      title: t('organization.otherPermissions'),
      permissions: others.map(permission => ({ permission, text: '' })),
    },
  ].filter(({ permissions }) => permissions.length > 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section tabIndex={0} aria-label={t('organization.matrixTable')} className={permissionMatrix.scroller}>
      <table className={permissionMatrix.matrix}>
        <thead>
          <tr>
            <th scope="col">{t('organization.permission')}</th>
            {roles.map(({ slug, name }) => (
              <th key={slug} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        {products.map(({ title, permissions }) => (
          <tbody key={title}>
            <tr>
              <th scope="rowgroup" colSpan={roles.length + 1} className={permissionMatrix.product}>
                {title}
              </th>
            </tr>
            {permissions.map(({ permission, text }) => (
              <tr key={permission}>
                <th scope="row">
                  {text}
                  <span className={permissionMatrix.permission}>{permission}</span>
                </th>
                {roles.map(role => (
                  <Cell key={role.slug} isHeld={isAllowed(role, permission)} />
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

function Cell({ isHeld }: { readonly isHeld: boolean }) {
  return (
    <td className={isHeld ? permissionMatrix.held : permissionMatrix.missing}>
      <span aria-hidden>{isHeld ? '✓' : '–'}</span>
      <span className="visually-hidden">{t(isHeld ? 'organization.yes' : 'organization.no')}</span>
    </td>
  );
}
