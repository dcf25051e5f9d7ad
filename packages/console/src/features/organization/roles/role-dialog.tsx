import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { meQuery } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { NamedFields } from '../fields/named.js';
import { type GrantedRights, RightsFields } from '../fields/rights-fields.js';
import type { Role } from '../lists.js';
import { useChange, useOrganization } from '../use-organization.js';

interface RoleDialogProps {
  /** The role to change; undefined for a new one. */
  readonly role?: Role;
  readonly onClose: () => void;
}

/** A role: its name and what it allows. */
export function RoleDialog({ role, onClose }: RoleDialogProps) {
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
      ...{ orgSlug, ...named },
      ...{ permissions: [...rights.permissions], scopes: [...rights.scopes] },
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
