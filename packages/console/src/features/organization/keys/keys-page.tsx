import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { t } from '../../../i18n/language.js';
import { moment } from '../../../values/dates.js';
import { nameOf } from '../../../values/names.js';
import { credentialColumns } from '../fields/credential-columns.js';
import { lastUse } from '../fields/last-use.js';
import { NameCell } from '../fields/name-cell.js';
import { ListSection } from '../list-table.js';
import { type Agent, agentsQuery, keysQuery, type Member, membersQuery, type OrgKey } from '../lists.js';
import styles from '../organization.module.css';
import { useOrganization } from '../use-organization.js';
import { KeyActions } from './key-actions.js';
import { NewKey } from './new-key.js';

const route = getRouteApi('/shell/organization/keys');

/** The API keys of the organization, without their secrets. */
export function KeysPage() {
  const { page } = route.useSearch();
  const { orgSlug } = useOrganization();
  const keys = useQuery(keysQuery(orgSlug, page));
  const { data: agents } = useQuery(agentsQuery(orgSlug));
  const { data: members } = useQuery(membersQuery(orgSlug));
  return (
    <ListSection
      title={t('organization.keys')}
      text={t('organization.keysText')}
      create={{ label: t('organization.newKey'), dialog: close => <NewKey onClose={close} /> }}
      actionsOf={key => <KeyActions orgKey={key} />}
      query={keys}
      columns={[
        ...credentialColumns<OrgKey>(t('organization.key')),
        {
          title: t('organization.actsAs'),
          cell: key => (
            <span className={styles.whole}>{ownerOf(key, agents?.results, members?.results)}</span>
          ),
        },
        {
          title: t('organization.use'),
          cell: ({ lastUsedAt, expiresAt }) => (
            <NameCell
              name={<span className={styles.quiet}>{lastUse(lastUsedAt)}</span>}
              below={expiresAt !== null && t('organization.expiresAt', { date: moment(expiresAt) })}
            />
          ),
        },
      ]}
      itemKey={({ id }) => id}
      empty={t('organization.keysNone')}
      page={page}
    />
  );
}

/** As whom a key acts, in words. People and agents beyond the loaded lists are named by the end of their id. */
function ownerOf(
  { ownerType, ownerId, collectionId }: Pick<OrgKey, 'ownerType' | 'ownerId' | 'collectionId'>,
  agents: readonly Agent[] = [],
  members: readonly Member[] = [],
): string {
  if (collectionId !== null) return t('organization.collectionKey');
  if (ownerType === null || ownerId === null) return t('organization.itself');
  const short = `…${ownerId.slice(-8)}`;
  if (ownerType === 'agent') {
    return t('organization.agentNamed', { name: agents.find(({ id }) => id === ownerId)?.name ?? short });
  }
  const member = members.find(({ userId }) => userId === ownerId);
  return member === undefined ? short : nameOf(member);
}
