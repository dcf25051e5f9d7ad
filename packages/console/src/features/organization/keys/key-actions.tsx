import { useState } from 'react';
import { api } from '../../../api/client.js';
import { isAllowed } from '../../../api/permissions.js';
import { t } from '../../../i18n/language.js';
import { Field, Select } from '../../../ui/controls/field.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { CredentialActions } from '../fields/credential-actions.js';
import { RotateDialog } from '../fields/rotate-dialog.js';
import type { OrgKey } from '../lists.js';
import { mayBeOwnerless, mayGrant, type Rights } from '../rights.js';
import { useChange, useOrganization } from '../use-organization.js';
import { draftOf, KeyFields, sentOf } from './key-fields.js';
import { KeySecret } from './key-secret.js';

interface KeyProps {
  readonly orgKey: OrgKey;
}

/** What the person may do with a key. Who does not hold everything that it may do can disable and revoke it. */
export function KeyActions({ orgKey }: KeyProps) {
  const { me, orgSlug } = useOrganization();
  const change = useChange();
  const { id: keyId, name, disabled } = orgKey;
  const mayHold = mayGrant(me, orgKey) && mayActAs(me, me.id, orgKey);
  return (
    <CredentialActions
      name={name}
      disabled={disabled}
      mayHold={mayHold}
      rotate={close => <RotateKey orgKey={orgKey} onClose={close} />}
      change={close => <ChangeKey orgKey={orgKey} onClose={close} />}
      setDisabled={next => api.organizationApiKeys.updateOrgApiKey({ orgSlug, keyId, disabled: next })}
      removal={{
        label: t('organization.revoke'),
        name: t('organization.revokeOf', { name }),
        title: t('organization.revokeKeyTitle', { name }),
        text: t('organization.revokeKeyText'),
        run: () => change(() => api.organizationApiKeys.revokeOrgApiKey({ orgSlug, keyId })),
      }}
    />
  );
}

/** The key of another person needs `*`, that of an agent `agents:act`, that of the organization what making it needs. */
function mayActAs(me: Rights, userId: string | undefined, key: OrgKey): boolean {
  const { ownerType, ownerId, collectionId, createdBy, permissions } = key;
  if (collectionId !== null || ownerId === userId) return true;
  if (ownerType === null) return createdBy === userId || mayBeOwnerless(me, permissions);
  return isAllowed(me, ownerType === 'agent' ? 'agents:act' : '*');
}

function ChangeKey({ orgKey, onClose }: KeyProps & { readonly onClose: () => void }) {
  const { orgSlug } = useOrganization();
  const change = useChange();
  const [draft, setDraft] = useState(draftOf(orgKey));
  const hasRights = orgKey.collectionId === null;
  const send = () => {
    const { permissions, scopes, expiresAt, ...rest } = sentOf(draft, orgKey.expiresAt);
    return change(() =>
      api.organizationApiKeys.updateOrgApiKey({
        orgSlug,
        keyId: orgKey.id,
        ...rest,
        ...(hasRights && { permissions, scopes }),
        // The end of an expired key is refused, also when it is sent unchanged.
        ...(expiresAt !== orgKey.expiresAt && { expiresAt }),
      }),
    );
  };
  return (
    <FormDialog
      title={t('organization.changeKeyTitle', { name: orgKey.name })}
      action={t('common.save')}
      onClose={onClose}
      send={send}
      shape="wide"
    >
      <KeyFields draft={draft} onChange={setDraft} exists hasRights={hasRights} />
    </FormDialog>
  );
}

/** How long the old secret may stay valid, in seconds. */
const GRACES = [
  { seconds: 0, label: 'organization.graceNone' },
  { seconds: 3_600, label: 'organization.graceHour' },
  { seconds: 86_400, label: 'organization.graceDay' },
] as const;

/** Gives a key a new secret, and shows it once. */
function RotateKey({ orgKey, onClose }: { readonly orgKey: OrgKey; readonly onClose: () => void }) {
  const { orgSlug } = useOrganization();
  const [graceSeconds, setGrace] = useState(3_600);
  const { id: keyId, name } = orgKey;
  const rotate = async () =>
    (await api.organizationApiKeys.rotateOrgApiKey({ orgSlug, keyId, graceSeconds })).apiKey;
  return (
    <RotateDialog
      name={name}
      onClose={onClose}
      rotate={rotate}
      shown={secret => <KeySecret name={name} secret={secret} />}
    >
      <Field label={t('organization.grace')} hint={t('organization.graceHint')}>
        {control => (
          <Select {...control} value={graceSeconds} onChange={event => setGrace(Number(event.target.value))}>
            {GRACES.map(({ seconds, label }) => (
              <option key={seconds} value={seconds}>
                {t(label)}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </RotateDialog>
  );
}
