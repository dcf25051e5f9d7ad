import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { t } from '../../../i18n/language.js';
import { Section } from '../../../ui/data/section.js';
import { moment } from '../../../values/date-time.js';
import { credentialColumns } from '../fields/credential-columns.js';
import { DialogButton } from '../fields/dialog-button.js';
import { lastUse } from '../fields/last-use.js';
import { NameCell } from '../fields/name-cell.js';
import { ListTable } from '../list-table.js';
import { agentsQuery, keysQuery, membersQuery, type OrgKey } from '../lists.js';
import styles from '../organization.module.css';
import { useOrganization } from '../use-organization.js';
import { KeyActions } from './key-actions.js';
import { NewKey } from './new-key.js';
import { ownerOf } from './owner-of.js';

const route = getRouteApi('/shell/organization/keys');

/** The API keys of the organization, without their secrets. */
export function KeysPage() {
  const { page } = route.useSearch();
  const { orgSlug } = useOrganization();
  const keys = useQuery(keysQuery(orgSlug, page));
  const { data: agents } = useQuery(agentsQuery(orgSlug));
  const { data: members } = useQuery(membersQuery(orgSlug));
  const columns = [
    ...credentialColumns<OrgKey>(t('organization.key')),
    {
      title: t('organization.actsAs'),
      cell: (key: OrgKey) => (
        <span className={styles.whole}>{ownerOf(key, agents?.results, members?.results)}</span>
      ),
    },
    {
      title: t('organization.use'),
      cell: ({ lastUsedAt, expiresAt }: OrgKey) => (
        <NameCell
          name={<span className={styles.quiet}>{lastUse(lastUsedAt)}</span>}
          below={expiresAt !== null && t('organization.expiresAt', { date: moment(expiresAt) })}
        />
      ),
    },
    {
      title: t('organization.actions'),
      align: 'end' as const,
      cell: (key: OrgKey) => <KeyActions orgKey={key} />,
    },
  ];
  return (
    <Section
      title={t('organization.keys')}
      text={t('organization.keysText')}
      actions={
        <DialogButton look="primary" label={t('organization.newKey')}>
          {close => <NewKey onClose={close} />}
        </DialogButton>
      }
    >
      <ListTable
        label={t('organization.keys')}
        query={keys}
        columns={columns}
        itemKey={({ id }) => id}
        empty={t('organization.keysNone')}
        page={page}
      />
    </Section>
  );
}
