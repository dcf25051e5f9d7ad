import { t } from '../../../i18n/language.js';
import styles from './entry.module.css';

const SIGN_IN_COMMAND = 'npm run cli -- sign-in';

/** What to do with a sign-in link, without a way to sign in, and as the operator of the installation. */
export function Help({ next }: { readonly next: string | undefined }) {
  return (
    <div className={styles.help}>
      <details>
        <summary>{t('account.linkTitle')}</summary>
        <p>
          {t('account.linkText')} {next !== undefined && <a href={next}>{t('account.linkThenContinue')}</a>}
        </p>
      </details>
      <details>
        <summary>{t('account.lostTitle')}</summary>
        <p>{t('account.lostText')}</p>
      </details>
      <details>
        <summary>{t('account.operatorTitle')}</summary>
        <OperatorSteps />
      </details>
    </div>
  );
}

/** What the operator of an installation can do so that people can sign in. */
export function OperatorSteps({ withPasskeys = false }: { readonly withPasskeys?: boolean }) {
  return (
    <ul className={styles.points}>
      <li>
        {t('account.operatorLink')} <code>{SIGN_IN_COMMAND}</code>
      </li>
      <li>{t('account.operatorProvider')}</li>
      <li>{t(withPasskeys ? 'account.operatorPasskeys' : 'account.operatorInvite')}</li>
    </ul>
  );
}
