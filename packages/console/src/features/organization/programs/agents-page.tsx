import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Section } from '../../../ui/data/section.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { moment } from '../../../values/dates.js';
import { DialogButton } from '../fields/dialog-button.js';
import { NameCell } from '../fields/name-cell.js';
import { NamedFields } from '../fields/named.js';
import { ListTable } from '../list-table.js';
import { type Agent, agentsQuery } from '../lists.js';
import styles from '../organization.module.css';
import { useChange, useOrganization } from '../use-organization.js';

const route = getRouteApi('/shell/organization/agents');

/** The agents of the organization: programs that act under a name of their own. */
export function AgentsPage() {
  const { page } = route.useSearch();
  const { orgSlug, may } = useOrganization();
  const agents = useQuery(agentsQuery(orgSlug, page));
  const mayManage = may('orgs:agents:manage');
  const columns = [
    {
      title: t('organization.agent'),
      cell: ({ name, slug }: Agent) => (
        <NameCell name={name} below={<span className={styles.mono}>{slug}</span>} />
      ),
    },
    { title: t('organization.id'), cell: ({ id }: Agent) => <span className={styles.mono}>{id}</span> },
    { title: t('organization.created'), cell: ({ createdAt }: Agent) => moment(createdAt) },
    ...(mayManage
      ? [
          {
            title: t('organization.actions'),
            align: 'end' as const,
            cell: (agent: Agent) => <AgentActions agent={agent} />,
          },
        ]
      : []),
  ];
  return (
    <Section
      title={t('organization.agents')}
      text={t('organization.agentsText')}
      actions={
        mayManage && (
          <DialogButton look="primary" label={t('organization.newAgent')}>
            {close => <AgentDialog onClose={close} />}
          </DialogButton>
        )
      }
    >
      <ListTable
        label={t('organization.agents')}
        query={agents}
        columns={columns}
        itemKey={({ id }) => id}
        empty={t('organization.agentsNone')}
        page={page}
      />
    </Section>
  );
}

function AgentActions({ agent }: { readonly agent: Agent }) {
  const { orgSlug } = useOrganization();
  const change = useChange();
  const { id, name } = agent;
  return (
    <div className={styles.actions}>
      <DialogButton label={t('organization.rename')} name={t('organization.renameOf', { name })}>
        {close => <AgentDialog agent={agent} onClose={close} />}
      </DialogButton>
      <ConfirmButton
        label={t('organization.delete')}
        name={t('organization.deleteOf', { name })}
        title={t('organization.deleteAgentTitle', { name })}
        run={() => change(() => api.agents.deleteOrgAgent({ orgSlug, id }))}
      >
        <p>{t('organization.deleteAgentText')}</p>
      </ConfirmButton>
    </div>
  );
}

interface AgentDialogProps {
  /** The agent to rename; undefined for a new one. */
  readonly agent?: Agent;
  readonly onClose: () => void;
}

function AgentDialog({ agent, onClose }: AgentDialogProps) {
  const { orgSlug } = useOrganization();
  const change = useChange();
  const [named, setNamed] = useState({ name: agent?.name ?? '', slug: agent?.slug ?? '' });
  const send = () =>
    change(() =>
      agent === undefined
        ? api.agents.createOrgAgent({ orgSlug, ...named })
        : api.agents.updateOrgAgent({ orgSlug, id: agent.id, name: named.name }),
    );
  return (
    <FormDialog
      title={
        agent === undefined ? t('organization.newAgent') : t('organization.renameTitle', { name: agent.name })
      }
      action={t('common.save')}
      onClose={onClose}
      send={send}
    >
      <NamedFields value={named} onChange={setNamed} exists={agent !== undefined} />
    </FormDialog>
  );
}
