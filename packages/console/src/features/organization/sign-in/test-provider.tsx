import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import type { Provider } from '../lists.js';
import styles from '../organization.module.css';

interface TestProviderProps {
  readonly provider: Provider;
  readonly onClose: () => void;
}

/** Signs in with the provider in a window of its own, which then shows the account, or why it did not work. */
export function TestProvider({ provider: { slug, name }, onClose }: TestProviderProps) {
  const address = `/v2/login?${new URLSearchParams({ provider: slug, redirect: '/console/account' })}`;
  const test = () => {
    window.open(address, '_blank');
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={open => !open && onClose()}
      title={t('organization.testTitle', { name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" onClick={test}>
            {t('organization.testOpen')}
          </Button>
        </>
      }
    >
      <div className={styles.stack}>
        <p>{t('organization.testText')}</p>
        <p className={styles.quiet}>{t('organization.testLinks')}</p>
      </div>
    </Dialog>
  );
}
