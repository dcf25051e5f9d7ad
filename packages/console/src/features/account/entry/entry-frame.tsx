import type { ComponentPropsWithRef, ReactNode } from 'react';
import { chooseLanguage, type Language, language, t } from '../../../i18n/language.js';
import button from '../../../ui/controls/button.module.css';
import { Select } from '../../../ui/controls/field.js';
import { useTitle } from '../../../ui/hooks.js';
import styles from './entry.module.css';

/** The frame of pages before the sign-in: one card with the name of the product. */
export function EntryFrame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useTitle(title);
  return (
    <div className={styles.page}>
      <header className={styles.brand}>
        <img src="/console/favicon.svg" alt="" width={28} height={28} />
        {t('common.productName')}
      </header>
      <main id="content" className={styles.card}>
        <h1>{title}</h1>
        {children}
      </main>
      <footer className={styles.footer}>
        <Select
          aria-label={t('common.language')}
          value={language()}
          onChange={event => chooseLanguage(event.target.value as Language)}
          className={styles.language}
        >
          <option value="en">English</option>
          <option value="fr">Français</option>
        </Select>
      </footer>
    </div>
  );
}

/** A link to a page of the service, drawn as a wide button. */
export function LinkButton({
  look = 'normal',
  ...rest
}: ComponentPropsWithRef<'a'> & { readonly look?: 'normal' | 'primary' }) {
  return <a className={`${button.button} ${button[look]} ${styles.wide}`} {...rest} />;
}
