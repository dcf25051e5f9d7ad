import { useMutation } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import type { Me } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import styles from './entry.module.css';

interface ChooseOrganizationProps {
  readonly me: Me;
  readonly onChosen: () => void;
}

/** A person who has just signed in and belongs to several organizations says in which one to work. */
export function ChooseOrganization({ me, onChosen }: ChooseOrganizationProps) {
  const choose = useMutation({
    mutationFn: (orgSlug: string) => api.authentication.switchOrg({ orgSlug }),
    onSuccess: onChosen,
  });
  return (
    <div className={styles.stack}>
      <p className={styles.quiet}>{t('account.chooseOrganizationText')}</p>
      <ul className={styles.list} aria-label={t('account.chooseOrganization')}>
        {me.organizations.map(({ slug, name }) => (
          <li key={slug}>
            <Button
              className={styles.wide ?? ''}
              disabled={choose.isPending}
              onClick={() => choose.mutate(slug)}
            >
              {name}
            </Button>
          </li>
        ))}
      </ul>
      {choose.error !== null && <ErrorBox error={choose.error} />}
    </div>
  );
}
