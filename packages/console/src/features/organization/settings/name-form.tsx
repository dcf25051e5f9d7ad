import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../../api/client.js';
import { meQuery } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { TextField } from '../../../ui/controls/text-field.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import type { Organization } from '../lists.js';
import { useChange } from '../use-organization.js';
import styles from './settings.module.css';

/** Changes the name that people see. The slug never changes. */
export function NameForm({ organization }: { readonly organization: Organization }) {
  const change = useChange();
  const queryClient = useQueryClient();
  const [name, setName] = useState(organization.name);
  const rename = useMutation({
    mutationFn: async () => {
      await change(() => api.organizations.updateOrg({ orgSlug: organization.slug, name }));
      await queryClient.invalidateQueries(meQuery);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.line}>
        <TextField label={t('organization.name')} required maxLength={200} value={name} onChange={setName} />
        <Button
          type="submit"
          look="primary"
          disabled={rename.isPending || name.trim() === '' || name === organization.name}
        >
          {t('common.save')}
        </Button>
      </div>
      {rename.error !== null && <ErrorBox error={rename.error} />}
    </form>
  );
}
