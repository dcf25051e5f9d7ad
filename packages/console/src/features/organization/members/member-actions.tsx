import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { nameOf } from '../../../values/person.js';
import { DialogButton } from '../fields/dialog-button.js';
import type { Member, Role } from '../lists.js';
import styles from '../organization.module.css';
import { mayGiveRole } from '../rights.js';
import { useChange, useOrganization } from '../use-organization.js';
import { ChangeMember } from './change-member.js';
import { RecoveryLink } from './recovery-link.js';

interface MemberActionsProps {
  readonly member: Member;
  /** The roles of the organization. Without them nothing is offered. */
  readonly roles: readonly Role[];
}

/** What somebody who manages members may do with one of them. Nothing for a role that they could not give. */
export function MemberActions({ member, roles }: MemberActionsProps) {
  const { me, org, orgSlug } = useOrganization();
  const change = useChange();
  const { userId, roleSlug } = member;
  const name = nameOf(member);
  const role = roles.find(({ slug }) => slug === roleSlug);
  if (role === undefined || !mayGiveRole(me, role)) return null;
  const isOneself = userId === me.id;
  return (
    <div className={styles.actions}>
      <DialogButton label={t('organization.change')} name={t('organization.changeOf', { name })}>
        {close => <ChangeMember member={member} onClose={close} />}
      </DialogButton>
      {!isOneself && member.status === 'active' && (
        <DialogButton label={t('organization.recovery')} name={t('organization.recoveryOf', { name })}>
          {close => <RecoveryLink member={member} onClose={close} />}
        </DialogButton>
      )}
      {!isOneself && (
        <ConfirmButton
          label={t('organization.remove')}
          name={t('organization.removeOf', { name })}
          title={t('organization.removeMemberTitle', { name, org: org.name })}
          run={() => change(() => api.members.removeOrgMember({ orgSlug, userId }))}
        >
          <p>{t('organization.removeMemberText')}</p>
        </ConfirmButton>
      )}
    </div>
  );
}
