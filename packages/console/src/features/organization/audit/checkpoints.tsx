import { useMutation, useQuery } from '@tanstack/react-query';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Code } from '../../../ui/controls/code.js';
import { Section } from '../../../ui/data/section.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { moment } from '../../../values/dates.js';
import { DialogButton } from '../fields/dialog-button.js';
import { ListTable } from '../list-table.js';
import { type Checkpoint, checkpointsQuery, organizationQuery } from '../lists.js';
import organizationStyles from '../organization.module.css';
import { useOrganization } from '../use-organization.js';
import styles from './audit.module.css';
import { type Verdict, verifyCheckpoint } from './verify-checkpoint.js';

const VERDICTS = {
  genuine: 'organization.genuine',
  forged: 'organization.forged',
  unsupported: 'organization.unsupported',
} as const;

/** The signed checkpoints of the log. The browser verifies their signatures. */
export function Checkpoints() {
  const { orgSlug } = useOrganization();
  const checkpoints = useQuery(checkpointsQuery(orgSlug));
  const { data: organization } = useQuery(organizationQuery(orgSlug));
  const listed = checkpoints.data?.results ?? [];
  const verify = useMutation({
    mutationFn: async (organizationId: string) => {
      const verdicts = await Promise.all(listed.map(each => verifyCheckpoint(each, organizationId)));
      return new Map(listed.map(({ signature }, index) => [signature, verdicts[index] as Verdict]));
    },
  });
  const verdictOf = ({ signature }: Checkpoint) => verify.data?.get(signature);
  const columns = [
    { title: t('organization.signedAt'), cell: ({ createdAt }: Checkpoint) => moment(createdAt) },
    {
      title: t('organization.eventsUntil'),
      cell: ({ seq, prunedSeq }: Checkpoint) =>
        prunedSeq === 0 ? seq : t('organization.eventsPruned', { seq, pruned: prunedSeq }),
    },
    {
      title: t('organization.signature'),
      cell: (checkpoint: Checkpoint) => <VerdictText verdict={verdictOf(checkpoint)} />,
    },
    {
      title: t('organization.actions'),
      align: 'end' as const,
      cell: (checkpoint: Checkpoint) => <Details checkpoint={checkpoint} />,
    },
  ];
  return (
    <Section
      title={t('organization.checkpoints')}
      text={t('organization.checkpointsText')}
      actions={
        organization !== undefined &&
        listed.length > 0 && (
          <Button disabled={verify.isPending} onClick={() => verify.mutate(organization.id)}>
            {t('organization.verifySignatures')}
          </Button>
        )
      }
    >
      <ListTable
        label={t('organization.checkpoints')}
        query={checkpoints}
        columns={columns}
        itemKey={({ signature }) => signature}
        empty={t('organization.checkpointsNone')}
      />
      <p className={organizationStyles.quiet}>{t('organization.verifyChain')}</p>
      <Code label={t('organization.command')} text={`npm run cli -- audit verify --org ${orgSlug}`} />
    </Section>
  );
}

function VerdictText({ verdict }: { readonly verdict: Verdict | undefined }) {
  if (verdict === undefined) return t('organization.notVerified');
  return (
    <span className={verdict === 'forged' ? styles.forged : styles.genuine}>{t(VERDICTS[verdict])}</span>
  );
}

/** The whole checkpoint, to keep a copy elsewhere. */
function Details({ checkpoint }: { readonly checkpoint: Checkpoint }) {
  const name = t('organization.checkpointOf', { date: moment(checkpoint.createdAt), seq: checkpoint.seq });
  return (
    <DialogButton label={t('organization.details')} name={`${t('organization.details')}: ${name}`}>
      {close => (
        <Dialog open onOpenChange={open => !open && close()} title={name} shape="wide">
          <Code label={name} text={JSON.stringify(checkpoint, null, 2)} />
        </Dialog>
      )}
    </DialogButton>
  );
}
