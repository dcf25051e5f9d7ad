import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { nameIn, type Principal } from '../../../api/directory.js';
import { directoryQuery } from '../../../api/directory-queries.js';
import { accessRoute } from '../../../api/routes.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { ChoiceList } from '../../../ui/controls/field.js';
import { Pages } from '../../../ui/data/pages.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { ErrorBox } from '../../../ui/states.js';
import { roleName } from '../../../values/names.js';
import styles from '../access.module.css';
import {
  BINDINGS_PER_PAGE,
  type Binding,
  bindingsQuery,
  useAccessChange,
  useAccessReload,
} from '../queries.js';
import { GRANTED_ROLES, type GrantedRole, ShareDialog } from './share-dialog.js';

/** The list of those who have access, with their roles and the reasons. */
export function SharingSection({ info }: { readonly info: CollectionInfo }) {
  const { collection } = accessRoute.useParams();
  const { page = 1 } = accessRoute.useSearch();
  const [isSharing, setSharing] = useState(false);
  const { data, error, refetch } = useQuery(bindingsQuery(collection, page));
  const directory = useQuery(directoryQuery(info.orgSlug)).data;
  const nameOf = ({ principal, email }: AccessRow) => {
    const name = nameIn(directory, principal);
    return name === principal.id ? (email ?? name) : name;
  };
  return (
    <Section
      title={t('access.sharing')}
      text={t('access.sharingText')}
      actions={
        <Button look="primary" icon={<UserPlus size={16} aria-hidden />} onClick={() => setSharing(true)}>
          {t('access.share')}
        </Button>
      }
    >
      <SimpleTable
        label={t('access.sharing')}
        items={data && rowsOf(data.items)}
        itemKey={({ principal }) => `${principal.type}:${principal.id}`}
        error={error}
        onRetry={() => void refetch()}
        empty={t('access.nobody')}
        columns={[
          { title: t('access.who'), cell: nameOf },
          { title: t('access.kind'), cell: ({ principal }) => t(`access.kind_${principal.type}`) },
          {
            title: t('access.role'),
            cell: row =>
              row.role === 'owner' ? (
                roleName(row.role)
              ) : (
                <RoleSelect info={info} row={row} name={nameOf(row)} />
              ),
          },
          {
            title: t('access.actions'),
            align: 'end',
            cell: row => (
              <span className={styles.end}>
                <WhyLink row={row} name={nameOf(row)} />
                {row.role !== 'owner' && <RemoveButton info={info} row={row} name={nameOf(row)} />}
              </span>
            ),
          },
        ]}
      />
      {data !== undefined && data.total > BINDINGS_PER_PAGE && (
        <Pages label={t('access.sharing')} page={page} perPage={BINDINGS_PER_PAGE} total={data.total} />
      )}
      {isSharing && <ShareDialog info={info} onClose={() => setSharing(false)} />}
    </Section>
  );
}

interface OfRow {
  readonly row: AccessRow;
  readonly name: string;
}

function WhyLink({ row: { principal }, name }: OfRow) {
  return (
    <Link
      to="."
      search={(search: object) => ({ ...search, explain: principal }) as never}
      aria-label={t('access.whyOf', { name })}
    >
      {t('access.why')}
    </Link>
  );
}

/** Removes the access that the row shows. */
function RemoveButton({ info, row: { principal }, name }: OfRow & { readonly info: CollectionInfo }) {
  const reload = useAccessReload();
  const { type, id } = principal;
  const run = async () => {
    const binding = { principal_type: type, principal_id: id };
    await api.sharing.revokeAccess({ collection_id: info.collection_id, ...binding });
    await reload();
  };
  return (
    <ConfirmButton
      label={t('access.remove')}
      name={t('access.removeOf', { name })}
      title={t('access.removeTitle', { name, collection: info.name })}
      run={run}
    >
      <p>{t('access.removeText')}</p>
    </ConfirmButton>
  );
}

interface RoleSelectProps {
  readonly info: CollectionInfo;
  readonly row: AccessRow;
  readonly name: string;
}

/** The role of somebody, which can be changed in place. */
function RoleSelect({ info, row: { principal, role }, name }: RoleSelectProps) {
  const change = useAccessChange((wanted: GrantedRole) =>
    api.sharing.updateAccessBinding({
      collection_id: info.collection_id,
      principal_type: principal.type as 'user',
      principal_id: principal.id,
      role: wanted,
    }),
  );
  return (
    <span className={styles.stack}>
      <ChoiceList
        aria-label={t('access.roleOf', { name })}
        className={styles.role}
        value={change.isPending ? change.variables : role}
        disabled={change.isPending}
        onChange={each => change.mutate(each as (typeof GRANTED_ROLES)[number])}
        choices={GRANTED_ROLES}
        textOf={roleName}
      />
      {change.error !== null && <ErrorBox error={change.error} />}
    </span>
  );
}

/** One line of the list of those who have access. */
interface AccessRow {
  readonly principal: Principal;
  /** The e-mail address of a person, if the service knows it. */
  readonly email?: string;
  readonly role: GrantedRole | 'owner';
}

function rowsOf(bindings: readonly Binding[]): readonly AccessRow[] {
  return bindings.map(({ principal_type: type, principal_id: id, role, email }) => ({
    principal: { type, id },
    role,
    ...(email !== undefined && { email }),
  }));
}
