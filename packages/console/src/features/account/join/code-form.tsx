import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { TextField } from '../../../ui/controls/text-field.js';
import styles from '../entry/entry.module.css';

/** For people whose link lost its code on the way. */
export function CodeForm({ onCode }: { readonly onCode: (code: string) => void }) {
  const [code, setCode] = useState('');
  return (
    <form
      className={styles.stack}
      onSubmit={event => {
        event.preventDefault();
        onCode(code.trim());
      }}
    >
      <TextField
        label={t('account.joinCode')}
        hint={t('account.joinNoCode')}
        spellCheck={false}
        required
        value={code}
        onChange={setCode}
      />
      <Button type="submit" look="primary" className={styles.wide ?? ''} disabled={code.trim() === ''}>
        {t('account.goOn')}
      </Button>
    </form>
  );
}
