import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { moment } from '../../../values/dates.js';
import { DialogButton } from '../fields/dialog-button.js';
import { NameCell } from '../fields/name-cell.js';
import { type Named, NamedDialog } from '../fields/named.js';
import { ListSection } from '../list-table.js';
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
  return (
    <ListSection
      title={t('organization.agents')}
      text={t('organization.agentsText')}
      create={
        mayManage && { label: t('organization.newAgent'), dialog: close => <AgentDialog onClose={close} /> }
      }
      actionsOf={mayManage && (agent => <AgentActions agent={agent} />)}
      query={agents}
      columns={[
        {
          title: t('organization.agent'),
          cell: ({ name, slug }) => (
            <NameCell name={name} below={<span className={styles.mono}>{slug}</span>} />
          ),
        },
        { title: t('organization.id'), cell: ({ id }) => <span className={styles.mono}>{id}</span> },
        { title: t('organization.created'), cell: ({ createdAt }) => moment(createdAt) },
      ]}
      itemKey={({ id }) => id}
      empty={t('organization.agentsNone')}
      page={page}
    />
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
  const send = (named: Named) =>
    agent === undefined
      ? api.agents.createOrgAgent({ orgSlug, ...named })
      : api.agents.updateOrgAgent({ orgSlug, id: agent.id, name: named.name });
  return <NamedDialog of={agent} newTitle={t('organization.newAgent')} send={send} onClose={onClose} />;
}
