import { X } from 'lucide-react';
import { t } from '../../../i18n/language.js';
import { IconButton } from '../../../ui/controls/button.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import styles from './states.module.css';

interface FailureNoticeProps {
  /** What was thrown, or a text that tells of a part that could not be done. */
  readonly error: unknown;
  readonly onClose: () => void;
}

/** Why something that was asked for failed, until it is closed. */
export function FailureNotice({ error, onClose }: FailureNoticeProps) {
  return (
    <div className={styles.failure}>
      {typeof error === 'string' ? <p role="alert">{error}</p> : <ErrorBox error={error} />}
      <IconButton label={t('common.close')} icon={<X size={16} aria-hidden />} onClick={onClose} />
    </div>
  );
}
