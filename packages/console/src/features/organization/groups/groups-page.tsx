import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { DialogButton } from '../fields/dialog-button.js';
import { NameCell } from '../fields/name-cell.js';
import { type Named, NamedDialog } from '../fields/named.js';
import { ListSection } from '../list-table.js';
import { type Group, groupsQuery } from '../lists.js';
import styles from '../organization.module.css';
import { useChange, useOrganization } from '../use-organization.js';
import { GroupMembers } from './group-members.js';

const route = getRouteApi('/shell/organization/groups');

/** The groups of the organization, with which collections can be shared. */
export function GroupsPage() {
  const { page } = route.useSearch();
  const { orgSlug, may } = useOrganization();
  const groups = useQuery(groupsQuery(orgSlug, page));
  return (
    <ListSection
      title={t('organization.groups')}
      text={t('organization.groupsText')}
      create={
        may('orgs:groups:manage') && {
          label: t('organization.newGroup'),
          dialog: close => <GroupDialog onClose={close} />,
        }
      }
      actionsOf={group => <GroupActions group={group} />}
      query={groups}
      columns={[
        {
          title: t('organization.group'),
          cell: ({ name, slug }) => (
            <NameCell name={name} below={<span className={styles.mono}>{slug}</span>} />
          ),
        },
        { title: t('organization.members'), cell: ({ memberCount }) => memberCount },
      ]}
      itemKey={({ slug }) => slug}
      empty={t('organization.groupsNone')}
      page={page}
    />
  );
}

function GroupActions({ group }: { readonly group: Group }) {
  const { orgSlug, may } = useOrganization();
  const change = useChange();
  const { slug, name } = group;
  return (
    <div className={styles.actions}>
      <DialogButton label={t('organization.members')} name={t('organization.membersOf', { name })}>
        {close => <GroupMembers group={group} onClose={close} />}
      </DialogButton>
      {may('orgs:groups:manage') && (
        <>
          <DialogButton label={t('organization.rename')} name={t('organization.renameOf', { name })}>
            {close => <GroupDialog group={group} onClose={close} />}
          </DialogButton>
          <ConfirmButton
            label={t('organization.delete')}
            name={t('organization.deleteOf', { name })}
            title={t('organization.deleteGroupTitle', { name })}
            run={() => change(() => api.groups.deleteOrgGroup({ orgSlug, slug }))}
          >
            <p>{t('organization.deleteGroupText')}</p>
          </ConfirmButton>
        </>
      )}
    </div>
  );
}

interface GroupDialogProps {
  /** The group to rename; undefined for a new one. */
  readonly group?: Group;
  readonly onClose: () => void;
}

function GroupDialog({ group, onClose }: GroupDialogProps) {
  const { orgSlug } = useOrganization();
  const send = (named: Named) =>
    group === undefined
      ? api.groups.createOrgGroup({ orgSlug, ...named })
      : api.groups.updateOrgGroup({ orgSlug, ...named });
  return <NamedDialog of={group} newTitle={t('organization.newGroup')} send={send} onClose={onClose} />;
}
